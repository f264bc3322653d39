"""Names that Python 2 had: what is written in their place, below the error's own text.

A file that parses may still be of Python 2: it ends with a NameError of `xrange`, an AttributeError
of `d.iteritems()`, or with a module that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BUILTINS = {
    "apply": "f(*args, **kwargs)",
    "basestring": "str",
    "buffer": "memoryview",
    "cmp": "(a > b) - (a < b)",
    "coerce": "nothing",
    "execfile": "exec(open(path).read())",
    "file": "open",
    "intern": "sys.intern",
    "long": "int",
    "raw_input": "input",
    "reduce": "functools.reduce",
    "reload": "importlib.reload",
    "unichr": "chr",
    "unicode": "str",
    "xrange": "range",
}
_METHODS = {
    **{f"{kind}{part}": f"{part}()" for kind in ("iter", "view")
       for part in ("items", "keys", "values")},
    "has_key": "key in d",
}  # fmt: skip
_OF_MODULES = {
    "itertools.ifilter": "filter",
    "itertools.ifilterfalse": "itertools.filterfalse",
    "itertools.imap": "map",
    "itertools.izip": "zip",
    "itertools.izip_longest": "itertools.zip_longest",
    "os.getcwdu": "os.getcwd",
    "string.join": "sep.join(words)",
    "string.letters": "string.ascii_letters",
    "string.lowercase": "string.ascii_lowercase",
    "string.maketrans": "str.maketrans",
    "string.split": "text.split()",
    "string.uppercase": "string.ascii_uppercase",
    "sys.maxint": "sys.maxsize",
    "sys.setdefaultencoding": "nothing",
    "urllib.quote": "urllib.parse.quote",
    "urllib.unquote": "urllib.parse.unquote",
    "urllib.urlencode": "urllib.parse.urlencode",
    "urllib.urlopen": "urllib.request.urlopen",
    "urllib.urlretrieve": "urllib.request.urlretrieve",
}
_MODULES = {
    "ConfigParser": "configparser",
    "HTMLParser": "html.parser",
    "Queue": "queue",
    "StringIO": "io",
    "Tkinter": "tkinter",
    "__builtin__": "builtins",
    "cPickle": "pickle",
    "cStringIO": "io",
    "commands": "subprocess",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "httplib": "http.client",
    "md5": "hashlib",
    "sets": "set, the builtin",
    "sha": "hashlib",
    "thread": "threading",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    "xmlrpclib": "xmlrpc.client",
}
_ITERATORS = (
    r"'(generator|map|filter|zip|enumerate|reversed|\w+_iterator|itertools\.\w+|_csv\.reader|"
    r"DictReader|_io\.\w+)'"
)
_VIEWS = r"'(map|filter|zip|range|dict_keys|dict_values|dict_items)'"
_SIGNS = (
    rf"{_VIEWS} object is not subscriptable",
    rf"object of type {_VIEWS} has no len\(\)",
    rf"{_VIEWS} object has no attribute '(?:append|extend|index|insert|pop|remove|sort)'",
    rf"{_VIEWS} object does not support item assignment",
    rf"unsupported operand type\(s\) for \+: {_VIEWS} and ",
)
"""What is said of a list of Python 2 that is none now."""


def replacement(text: str) -> tuple[str, str] | None:
    """What of Python 2 an error's text is about, and what is written in its place; or None.

    Args:
      text: the text of any exception, such as a TensorFlow error that quotes a NameError of a
        `tf.py_func`.
    """
    return next(_found(text), None)


def _found(text: str) -> Iterator[tuple[str, str]]:
    for pattern, table in (
        (r"name '(\w+)' is not defined", _BUILTINS),
        (r"'[\w.]*[dD]ict' object has no attribute '(\w+)'", _METHODS),
        (r"No module named '(\w+)'", _MODULES),
    ):
        name = re.search(pattern, text)
        if name and name[1] in table:
            yield name[1], table[name[1]]
    name = re.search(r"module '(\w+)' has no attribute '(\w+)'", text)
    if name and (whole := f"{name[1]}.{name[2]}") in _OF_MODULES:
        yield whole, _OF_MODULES[whole]
    if re.search(rf"{_ITERATORS} object has no attribute 'next'", text):
        yield "iterator.next()", "next(iterator)"
    if re.search(r"'str' object has no attribute 'decode'", text):
        yield "decode of a text", "the text itself, or open the file in 'rb'"
    if view := next((found for sign in _SIGNS if (found := re.search(sign, text))), None):
        made = f"d.{view[1][5:]}()" if view[1].startswith("dict_") else f"{view[1]}(…)"
        yield f"list that {made} gives", f"list({made})"
