"""Conditions in disguise and values under another name: what is not fixed keeps the batch call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import python

ENV = "float(os.environ.get('NO', '1'))"
# Lines of the module above the pipeline, and what is done to x.
BOX, BY_BOX = "BOX = {'a': 2.0}\n", "x = x * BOX['a']"
ARRAY, BY_ARRAY = "M = np.ones(2, np.float32)\n", "x = x * M"
FILL = f"def fill(box): box['a'] = {ENV}\n"
CLASS = "class Box(object):\n    a = 2.0\n    def double(self): self.a = 4.0\nbox = Box()\n"
MANY = "len(sys.argv) > 9"

CONDITIONS = {
    "a try": ("try:\n    open('no.txt')\n    K = 2.0\nexcept IOError:\n    K = 3.0\n", "x = x * K"),
    "an else of a try": (
        "K = 2.0\ntry:\n    os.environ['NO']\nexcept KeyError:\n    pass\nelse:\n    K = 3.0\n",
        "x = x * K"),
    "a try that fails in a function": (
        f"def check():\n    if {MANY}: raise ValueError\n"
        "def f(x):\n    try:\n        check()\n        return x * 2.0\n"
        "    except ValueError:\n        return x * 3.0\n", "x = f(x)"),
    "an op that fails": (
        f"def f(x):\n    if {MANY}: raise ValueError\n    return x * 2.0\n",
        "try:\n    x = f(x)\nexcept ValueError:\n    x = x * 3.0"),
    "a finally that returns": (
        "def f(x):\n    try:\n        int(os.environ['NO'])\n        x = x * 3.0\n"
        "    finally:\n        return x\n", "x = f(x)"),
    "an import": (
        "try:\n    import nosuch\n    K = 3.0\nexcept ImportError:\n    K = 2.0\n", "x = x * K"),
    "an import of a value": (
        "try:\n    from nosuch import K\nexcept ImportError:\n    K = 2.0\n", "x = x * K"),
    "a match": (f"match {MANY}:\n    case True: K = 3.0\n    case _: K = 2.0\n", "x = x * K"),
    "a name of a match": (
        "match sys.argv:\n    case [*rest]: K = 2.0 * (len(rest) > 0)\n", "x = x * K"),
    "a guard of a match": (
        "", f"match 1:\n    case 1 if {MANY}: x = x * 3.0\n    case _: x = x * 2.0"),
    "contextlib.suppress": (
        "K = 2.0\nwith contextlib.suppress(KeyError):\n    os.environ['NO']\n    K = 3.0\n",
        "x = x * K"),
    "a manager of the script that suppresses": (
        "class Quiet(object):\n    def __enter__(self): pass\n"
        "    def __exit__(self, *a): return True\n"
        "K = 2.0\nwith Quiet():\n    os.environ['NO']\n    K = 3.0\n", "x = x * K"),
    "a manager that gives a value": (
        f"class S(object):\n    def __enter__(self): return {ENV}\n"
        "    def __exit__(self, *a): pass\n", "with S() as s: x = x * s"),
    "a manager that is a generator": (
        f"@contextlib.contextmanager\ndef s(): yield {ENV}\n", "with s() as k: x = x * k"),
    "a manager that changes a value": (
        f"{BOX}class S(object):\n    def __enter__(self): BOX['a'] = {ENV}\n"
        "    def __exit__(self, *a): pass\n", "with S(): x = x * BOX['a']"),
    "an and": (f"{CLASS}{MANY} and setattr(box, 'a', 3.0)\n", "x = x * box.a"),
    "an and before a call": (
        f"{BOX}def double(): BOX['a'] = 4.0\n{MANY} and double()\n", BY_BOX),
    "a choice with an effect": (f"{BOX}BOX.update(a=3.0) if {MANY} else None\n", BY_BOX),
    "a comprehension with an effect": (f"{BOX}[BOX.update(a={ENV}) for _ in 'x']\n", BY_BOX),
    "a comprehension's condition": (
        f"{BOX}[BOX.update(a=3.0) for _ in 'x' if {MANY}]\n", BY_BOX),
    "an assert with an effect": (f"{BOX}assert not BOX.update(a={ENV})\n", BY_BOX),
    "a name bound in a condition": (f"K = 2.0\nif (K := {ENV}): pass\n", "x = x * K"),
    "a break": (
        f"K = 2.0\nfor i in range(2):\n    if {MANY}: break\n    K = 3.0\n", "x = x * K"),
    "a function that ends early": (
        f"{BOX}def double():\n    if {MANY}: return\n    BOX['a'] = 4.0\ndouble()\n", BY_BOX),
    "a function called in a condition": (
        f"{BOX}def double(): BOX['a'] = 4.0\nif {MANY}: double()\n", BY_BOX),
    "a method called in a condition": (f"{CLASS}if {MANY}: box.double()\n", "x = x * box.a"),
    "a lambda that may be called": (
        f"{BOX}double = lambda: BOX.update(a=4.0)\nif {MANY}: double()\n", BY_BOX),
    "a try in a class": (
        "class C(object):\n    try: a = float(os.environ['NO'])\n    except KeyError: a = 2.0\n",
        "x = x * C.a"),
    "a branch in a class": (
        f"class C(object):\n    if True:\n        a = {ENV}\n", "x = x * C.a"),
    "a loop's own name": (
        f"for K in (2.0, 3.0):\n    if {MANY}: break\n", "x = x * K"),
    "the first file that is there": (
        "for K in (2.0, 3.0):\n    try: open('%s.txt' % K)\n    except IOError: continue\n"
        "    break\n", "x = x * K"),
    "one of two imports": (
        f"if {MANY}: from math import e as K\nelse: from math import pi as K\n", "x = x * K"),
    "one of two methods": (
        f"class C(object):\n    if {MANY}:\n        def a(self): return 2.0\n"
        "    else:\n        def a(self): return 3.0\nc = C()\n", "x = x * c.a()"),
    "one more call of what makes ops": (
        "N = [1.0]\ndef f(x):\n    N[0] += 1.0\n    return x * N[0]\n"
        f"if {MANY}: f(1.0)\n", "x = f(x)"),
    "a deletion": (f"{BOX}if {MANY}: del BOX['a']\n", "x = x * BOX.get('a', 3.0)"),
}  # fmt: skip
OTHER_NAMES = {
    "another name": (f"{BOX}other = BOX\nother['a'] = {ENV}\n", BY_BOX),
    "one of several names": (f"{BOX}other, n = BOX, 1\nother['a'] = {ENV}\n", BY_BOX),
    "a list": (f"{BOX}kept = [BOX]\nkept[0]['a'] = {ENV}\n", BY_BOX),
    "a list that grows": (f"{BOX}kept = []\nkept.append(BOX)\nkept[0]['a'] = {ENV}\n", BY_BOX),
    "a loop": (f"{BOX}for each in [BOX]: each['a'] = {ENV}\n", BY_BOX),
    "an attribute": (f"{BOX}{CLASS}box.a = BOX\nbox.a['a'] = {ENV}\n", BY_BOX),
    "a part that was put into it": (
        f"BOX = {{}}\nBOX['b'] = [1.0]\nBOX['b'][0] = {ENV}\n", "x = x * BOX['b'][0]"),
    "a part of it": ("BOX = {'b': {'a': 2.0}}\n" f"BOX.get('b')['a'] = {ENV}\n",
                     "x = x * BOX['b']['a']"),
    "a result": (f"{BOX}def same(box): return box\nsame(BOX)['a'] = {ENV}\n", BY_BOX),
    "a default": (f"{BOX}def f(box=BOX): box['a'] = {ENV}\nf()\n", BY_BOX),
    "a parameter": (f"{BOX}{FILL}n = fill(BOX)\n", BY_BOX),
    "a parameter of a constructor": (
        f"{BOX}class C(object):\n    def __init__(self, box): box['a'] = {ENV}\nC(BOX)\n", BY_BOX),
    "a method of it": (f"{BOX}put = BOX.update\nput(a={ENV})\n", BY_BOX),
    "a function given on": (f"{BOX}{FILL}list(map(fill, [BOX]))\n", BY_BOX),
    "a partial function": (f"{BOX}{FILL}functools.partial(fill, BOX)()\n", BY_BOX),
    "a thread": (f"{BOX}{FILL}threading.Thread(target=fill, args=(BOX,)).start()\n", BY_BOX),
    "a list added to": (f"L = [1.0]\nother = L\nother += [{ENV}]\n", "x = x * L[-1]"),
    "a key that varies": ("BOX = {0: 2.0}\nBOX[len(sys.argv)] = 3.0\n", "x = x * BOX.get(1, 4.0)"),
    "a view": (f"{ARRAY}view = M[:]\nview[0] = {ENV}\n", BY_ARRAY),
    "a view of another shape": (f"{ARRAY}view = M.ravel()\nview[:] = {ENV}\n", BY_ARRAY),
    "an out": (f"{ARRAY}_ = np.multiply(M, {ENV}, out=M)\n", BY_ARRAY),
    "an out by its place": (f"{ARRAY}_ = np.multiply(M, {ENV}, M)\n", BY_ARRAY),
    "a copy into it": (f"{ARRAY}np.copyto(M, {ENV})\n", BY_ARRAY),
    "a method that fills": (f"{ARRAY}M.fill({ENV})\n", BY_ARRAY),
    "a slice multiplied": (f"{ARRAY}M[:1] *= {ENV}\n", BY_ARRAY),
    "a parameter that is bound anew": (f"def f(x, k):\n    k = k * {ENV}\n    return x * k\n",
                                       "x = f(x, 2.0)"),
    "a parameter that is changed": (
        f"def f(x, box):\n    box['a'] = {ENV}\n    return x * box['a']\n", "x = f(x, {})"),
    "setattr": (f"{CLASS}setattr(box, 'a', {ENV})\n", "x = x * box.a"),
    "object.__setattr__": (f"{CLASS}object.__setattr__(box, 'a', {ENV})\n", "x = x * box.a"),
    "__dict__": (f"{CLASS}box.__dict__['a'] = {ENV}\n", "x = x * box.a"),
    "vars": (f"{CLASS}vars(box).update(a={ENV})\n", "x = x * box.a"),
    "an attribute behind a property": (
        f"class C(object):\n    def __init__(self): self._a = {ENV}\n"
        "    @property\n    def a(self): return self._a\nc = C()\n", "x = x * c.a"),
    "attributes from a dict": (
        "class C(object):\n    def __init__(self, **more): self.__dict__.update(more)\n"
        f"c = C(a={ENV})\n", "x = x * c.a"),
    "setattr of itself": (
        f"class C(object):\n    def __init__(self): setattr(self, 'a', {ENV})\nc = C()\n",
        "x = x * c.a"),
    "__getattr__": (
        f"class C(object):\n    def __getattr__(self, name): return {ENV}\nc = C()\n",
        "x = x * c.a"),
    "__getattr__ of a metaclass": (
        f"class T(type):\n    def __getattr__(self, name): return {ENV}\n"
        "class C(metaclass=T): pass\n", "x = x * C.a"),
    "__getitem__": (
        f"class C(object):\n    def __getitem__(self, name): return {ENV}\nc = C()\n",
        "x = x * c['a']"),
    "a dict that makes what is missing": (
        f"class C(dict):\n    def __missing__(self, name): return {ENV}\nc = C()\n",
        "x = x * c['a']"),
    "globals": (f"K = 2.0\nglobals()['K'] = {ENV}\n", "x = x * K"),
    "globals under another name": (f"K = 2.0\ng = globals()\ng['K'] = {ENV}\n", "x = x * K"),
    "exec": ("K = 2.0\nexec('K = float(len(sys.argv))')\n", "x = x * K"),
    "the module itself": (
        f"K = 2.0\nhere = type(sys)('here')\nsys.modules['here'] = here\nhere.K = {ENV}\n",
        "x = x * K"),
    "a function put into TensorFlow": (
        f"def scaled(x): return x * {ENV}\ntf.scaled = scaled\n", "x = tf.scaled(x)"),
    "getattr": (f"{CLASS}box.a = {ENV}\n", "x = x * getattr(box, 'a')"),
    "the class of an object": (f"{CLASS}type(box).a = {ENV}\n", "x = x * Box.a"),
    "a name that a lambda has too": (
        f"k = [{ENV}]\nL = list(map(lambda k: k * 2.0, k))\n", "x = x * L[0]"),
    "a name that a comprehension has too": (
        f"k = [{ENV}]\nL = [k * 2.0 for k in k]\n", "x = x * L[0]"),
    "a class method": (
        "class C(object):\n    a = 2.0\n    @classmethod\n"
        f"    def set(cls): cls.a = {ENV}\nC.set()\n", "x = x * C.a"),
    "a part that a loop gives": (
        f"ROWS = [[1.0], [2.0]]\nfor i, row in enumerate(ROWS): row[0] = {ENV}\n",
        "x = x * ROWS[1][0]"),
    "a method of what varies": ("k = os.environ.get('NO', '1')\n", "x = x * float(k.strip())"),
    "nonlocal": (
        f"def f(x):\n    k = 2.0\n    def g():\n        nonlocal k\n        k = {ENV}\n"
        "    g()\n    return x * k\n", "x = f(x)"),
}  # fmt: skip
LOADER = (
    "class Loader(object):\n    def __init__(self, sess): self.sess = sess\n"
    "    def get(self, t): return self.sess.run(t)\n")  # fmt: skip
BY_K = "x = x * float(k)"
OUTSIDE = {
    "a session": ("with tf.Session() as s: k = s.run(tf.constant(2.0))\n", BY_K),
    "a session without a name": ("k = tf.Session().run(tf.constant(2.0))\n", BY_K),
    "a session of a helper": (
        "def ask(t):\n    with tf.Session() as s: return s.run(t)\nk = ask(tf.constant(2.0))\n",
        BY_K),
    "a session that an object holds": (
        f"{LOADER}k = Loader(tf.Session()).get(tf.constant(2.0))\n", BY_K),
    "a session that an object makes": (
        "class Loader(object):\n    def __init__(self): self.sess = tf.Session()\n"
        "    def get(self, t): return self.sess.run(t)\n"
        "k = Loader().get(tf.constant(2.0))\n", BY_K),
    "the session of the process": (
        "tf.InteractiveSession()\nk = tf.get_default_session().run(tf.constant(2.0))\n", BY_K),
    "eval": ("tf.InteractiveSession()\nk = tf.constant(2.0).eval()\n", BY_K),
    "eval in a comprehension": (
        "tf.InteractiveSession()\nk = [t.eval() for t in [tf.constant(2.0)]][0]\n", BY_K),
    "eval beside a function and a method of that name": (
        "def eval(): pass\nclass Net(object):\n    def eval(self): return 2.0\n"
        "tf.InteractiveSession()\nk = tf.constant(2.0).eval()\n", BY_K),
    "a callable of a session": ("k = tf.Session().make_callable(tf.constant(2.0))()\n", BY_K),
    "the devices of a session": ("k = len(tf.Session().list_devices())\n", BY_K),
    "a method by its name": ("k = getattr(tf.Session(), 'run')(tf.constant(2.0))\n", BY_K),
    "the ops of the graph": ("k = len(tf.get_default_graph().get_operations())\n", BY_K),
    "a collection of the graph": (
        "tf.add_to_collection('k', len(sys.argv))\nk = tf.get_collection('k')[0]\n", BY_K),
    "the current directory": ("k = len(os.path.abspath('a'))\n", BY_K),
    "a module under another name": ("path = os.path\nk = len(path.realpath('a'))\n", BY_K),
    "a module that a class holds": (
        "class Box(object):\n    path = os.path\nk = len(Box.path.realpath('a'))\n", BY_K),
    "a function of a module by its name": ("k = getattr(os, 'getpid')()\n", BY_K),
    "the day": ("k = int(np.datetime64('today').astype(int))\n", BY_K),
    "the day as a dtype": ("k = int(np.array(['today'], 'M8[D]').astype(int)[0])\n", BY_K),
    "the names that there are": ("k = len(dir())\n", BY_K),
}  # fmt: skip
FIXED = {
    "a session of no use to it": (
        "with tf.Session() as s: print(s.run(tf.constant(2.0)))\nk = 2.0\n", BY_K),
    "parts of a name of a file": (
        "path = os.path\nk = len(path.join(os.path.dirname('a/b'), path.basename('c')))\n", BY_K),
    "a module of TensorFlow under another name": (
        "nn = tf.nn\nk = getattr(np, 'add')(1.0, 1.0)\n", "x = nn.relu(x) * k"),
    "a method run of the script": (
        "class Net(object):\n    def run(self, k): return self.eval(k) * 2.0\n"
        "    def eval(self, k): return k\nnet = Net()\nk = Net().run(1.0) + net.run(1.0)\n", BY_K),
    "a try around all of it": (
        "", "x = x * 2.0\n    tf.add_to_collection('x', os.environ.get('NO', ''))"),
    "xrange": ("try:\n    xrange\nexcept NameError:\n    xrange = range\n",
               "for i in xrange(2): x = x * 2.0"),
    "an error that is raised again": (
        "try:\n    os.environ.get('NO')\n    K = 2.0\nexcept KeyError:\n    raise\n", "x = x * K"),
    "a try with a finally": (
        "try:\n    os.environ.get('NO')\n    K = 2.0\nfinally:\n    print('done')\n", "x = x * K"),
    "a try of what is fixed": (
        "def number(text):\n    try:\n        return float(text)\n"
        "    except ValueError:\n        return 3.0\n", "x = x * number('2')"),
    "an import of no use to it": (
        "try:\n    import nosuch\nexcept ImportError:\n    nosuch = None\n", "x = x * 2.0"),
    "a match of a constant": (
        "MODE = 'a'\nmatch MODE:\n    case 'a': K = 2.0\n    case _: K = 3.0\n", "x = x * K"),
    "scopes": ("", "with tf.name_scope('a'), tf.device('/cpu:0'): x = x * 2.0"),
    "scopes with names that vary": (
        "", "with tf.name_scope('a%d' % len(sys.argv)), tf.variable_scope('b'): x = x * 2.0"),
    "a scope of the script": (
        "@contextlib.contextmanager\ndef scope(name):\n"
        "    with tf.name_scope(name): yield\n", "with scope('a'): x = x * 2.0"),
    "a scope of a class": (
        "class S(object):\n    def __enter__(self): return 2.0\n"
        "    def __exit__(self, *a): pass\n", "with S() as s: x = x * s"),
    "a name bound in a condition": ("if (K := 2.0) > 1.0: pass\n", "x = x * K"),
    "another name that changes nothing": (f"{BOX}other = BOX\nprint(other['a'])\n", BY_BOX),
    "another name that puts constants": (f"{BOX}other = BOX\nother['a'] = 3.0\n", BY_BOX),
    "a function that only reads": (
        f"{BOX}def show(box): print(box['a'], len(sys.argv))\nshow(BOX)\n", BY_BOX),
    "a function that counts": (
        "FILES = ['a', 'b']\ndef count(names):\n    found = list(names)\n    found.sort()\n"
        "    return len(found)\n", "x = x * float(count(FILES))"),
    "another object that varies": (f"{BOX}log = []\nlog.append({ENV})\n", BY_BOX),
    "a number taken from it": (f"{BOX}k = str(BOX['a'])\nk += str({ENV})\n", BY_BOX),
    "an array that is read": (
        f"{ARRAY}print(M.mean(), np.sum(M) * {ENV}, M.reshape([2, 1]).shape)\n", BY_ARRAY),
    "an array that is filled with constants": (f"{ARRAY}view = M[:]\nview[0] = 3.0\n", BY_ARRAY),
    "a list that grows in a loop": (
        "L = []\nfor i in range(3): L.append(float(i))\nL.sort()\n", "x = x * L[1]"),
    "a class with methods": (
        "class C(object):\n"
        "    def __init__(self):\n        self.a = 2.0\n        self.seen = sys.argv\n"
        "    def show(self): print(self.a, self.seen)\n    def __repr__(self): return ENV\n"
        "c = C()\nc.show()\n", "x = x * c.a"),
    "a class whose objects have attributes": (
        f"class C(object):\n    a = 2.0\nc = C()\nc.b = {ENV}\n", "x = x * C.a"),
    "a record of tensors": (
        "class C(object): pass\ndef f(x):\n    c = C()\n    c.x = x * 2.0\n"
        "    c.x.set_shape([2])\n    return c\n", "c = f(x)\nx = c.x"),
    "a look at globals": (
        "K = 2.0\nprint('K' in globals(), globals().get('K'), '%(K)s' % globals(), len(vars()))\n",
        "x = x * K"),
    "the environment set": (
        "os.environ['NO_SUCH'] = '0'\nnp.random.seed(0)\ntf.logging.set_verbosity(40)\n",
        "x = x * 2.0"),
    "arguments set on FLAGS": ("tf.app.flags.FLAGS.mark_as_parsed()\n", "x = x * 2.0"),
    "another name for what TensorFlow has": (
        "if not hasattr(tf, 'mul'): tf.mul = tf.multiply\n", "x = tf.mul(x, 2.0)"),
    "one of two TensorFlows": (
        "try: import tensorflow.compat.v1 as tf\nexcept ImportError: import tensorflow as tf\n",
        "x = x * 2.0"),
    "names of lambdas and comprehensions": (
        "L = list(map(lambda k: k * 2.0, [1.0]))\nL = [j + sum(k for k in [j]) for j in L]\n",
        "x = x * L[0]"),
    "a reader that is asked": (
        f"reader = tf.TextLineReader()\nif {MANY}: print(reader.num_records_produced())\n",
        "x = tf.reshape(x, [2]) * float(reader.reader_ref is not None)"),
    "an import whose name means another thing elsewhere": (
        "import math\ndef f():\n    math = sys.argv\n    return math\n", "x = x * math.pi"),
    "names of columns that are taken out of a dict": (
        "NAMES = ['a', 'b']\ndef f(x):\n    parts = dict(zip(NAMES, tf.unstack(x)))\n"
        "    first = parts.pop(NAMES[0])\n    return first + parts['b'] * float(len(NAMES))\n",
        "x = f(x)"),
    "a log of an array's mean": (
        f"{ARRAY}log = []\nlog.append(M.mean() * {ENV})\n", BY_ARRAY),
    "an eval of no use to it": ("n = eval('1 + 1')\n", "x = x * 2.0"),
    "what other modules compute": (
        "import collections, copy, json, operator, re, string, struct\n"
        "K = len(os.sep + string.digits + re.sub('a', '', 'ab')) + sys.maxsize % 2\n"
        "K += operator.add(json.loads('[2]')[0], struct.calcsize('<i'))\n"
        "K += len(copy.copy(collections.Counter('ab')))\n", "x = x * float(K)"),
    "options of a reader of records": (
        "KIND = tf.python_io.TFRecordCompressionType\n"
        "OPTIONS = tf.python_io.TFRecordOptions(KIND.GZIP)\n",
        "x = x * float(len(OPTIONS.get_compression_type_string(OPTIONS)))"),
    "views of one array that are filled from one another": (
        "def fill():\n    m = np.ones(12, np.float32)\n"
        + "".join(f"    v{i} = m[{i}:]\n" for i in range(12))
        + "".join(f"    v{i}[0] = v{(i + 1) % 12}[0] + v{(i + 5) % 12}[0]\n" for i in range(12))
        + "    return v0[0] + v9[0]\nK = fill()\n", "x = x * float(K)"),
    "an assertion": ("K = 2.0\nassert K > 1.0, sys.argv\n", "x = x * K"),
    "a break": ("for i in range(3):\n    K = 2.0\n    if i == 1: break\n", "x = x * K"),
}  # fmt: skip
WORDS = "{'a', 'bb', 'ccc'}"
IN_ORDER = {
    "the first of a set": f"k = len([s for s in {WORDS}][0])\n",
    "one that is taken out of a set": f"S = {WORDS}\nk = len(S.pop())\n",
    "a list of a set": "names = list(set(['a', 'bb']))\nk = len(names[0])\n",
    "a loop over a set": "k = 0\nfor s in set(['a', 'bb']): k = k * 2 + len(s)\n",
    "numbers for the members of a set":
        f"IDS = {{s: i for i, s in enumerate({WORDS})}}\nk = IDS['a']\n",
    "a set sorted by a key that is not unique": "k = ord(sorted({'a', 'b'}, key=len)[0])\n",
    "a set under another name": f"S = {WORDS}\nT = S\nk = len(next(iter(T)))\n",
    "a frozen set": "k = ord(tuple(frozenset('ab'))[0])\n",
    "a union": "k = len(list({'a', 'b'}.union(['cc']))[0])\n",
    "the parts of a set": "a, b = {'a', 'bb'}\nk = len(a)\n",
    "a set that is filled": "S = set()\nfor n in ['a', 'bb']: S.add(n)\nk = len(list(S)[0])\n",
    "a set that a function gives": f"def f(): return {WORDS}\nk = len(list(f())[0])\n",
    "a set that a function takes": f"def f(v): return list(v)[0]\nk = len(f({WORDS}))\n",
}  # fmt: skip
WITHOUT_ORDER = {
    "a set that is sorted": f"k = len(sorted({WORDS})[0])\n",
    "a set that is asked for a member": f"S = {WORDS}\nk = 2.0 if 'a' in S else 3.0\n",
    "the size of a set": "k = len(set('abc'))\n",
    "a set of numbers": "S = {3, 1, -2}\nk = list(S)[0] + list(set(range(4)))[1]\n",
    "a difference that is sorted": "k = len(sorted(set('abc') - {'a'})[0])\n",
    "what is made of the members, sorted": f"k = len(sorted(s + 'x' for s in {WORDS})[0])\n",
    "a set that is not empty": "S = set('ab')\nk = 1.0\nif S: k = 2.0\n",
    "a filled set that is sorted": "S = set()\nS.update(['a', 'bb'])\nk = len(sorted(S)[0])\n",
    "a set of no use to it": f"S = {WORDS}\nprint(list(S))\nk = 2.0\n",
}
SCRIPT = """import contextlib, functools, os, sys, threading
import numpy as np
import tensorflow as tf
{above}
queue = tf.train.string_input_producer(['a.csv'], shuffle=False)
_, line = tf.TextLineReader().read(queue)
try:
    print(os.environ.get('NO'))
    x = tf.stack(tf.decode_csv(line, [[0.0]] * 2))
    {done}
    batch = tf.train.batch([x], batch_size=4)
except tf.errors.OutOfRangeError:
    print('end')
finally:
    print('done')
"""
ALL = {
    "condition": CONDITIONS, "name": OTHER_NAMES, "outside": OUTSIDE, "fixed": FIXED,
    "in order": {how: (above, BY_K) for how, above in IN_ORDER.items()},
    "without order": {how: (above, BY_K) for how, above in WITHOUT_ORDER.items()},
}  # fmt: skip


@pytest.fixture(scope="module")
def reasons(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[str]]:
    """For each case: why the batch call would have to stay."""
    folder = tmp_path_factory.mktemp("hidden")
    paths = {}
    for kind, cases in ALL.items():
        for name, (above, done) in cases.items():
            paths[kind, name] = path = folder / f"script_{len(paths)}.py"
            lines = done.replace("\n", "\n    ") if "\n    tf." not in done else done
            path.write_text(SCRIPT.format(above=above, done=lines))
    order = folder / "cases.json"
    order.write_text(json.dumps([str(path) for path in paths.values()]))
    program = Path(__file__).parent / "dependences.py"
    done = python(program, order, cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(x.removeprefix("CASE ")) for x in done.stdout.splitlines() if "CASE" in x]
    found = {path: told for path, _, told, _ in lines}
    return {case: found[str(path)] for case, path in paths.items()}


@pytest.mark.parametrize("how", CONDITIONS)
def test_a_condition_in_disguise_keeps_the_call_and_is_told(how: str, reasons: dict) -> None:
    told = "; ".join(reasons["condition", how])
    assert "depends on " in told or "is not fixed in the script" in told, told


@pytest.mark.parametrize("how", OTHER_NAMES)
def test_a_value_changed_under_another_name_keeps_the_call(how: str, reasons: dict) -> None:
    told = "; ".join(reasons["name", how])
    assert "depends on " in told or "is not fixed in the script" in told, told


@pytest.mark.parametrize("how", OUTSIDE)
def test_a_value_out_of_a_session_or_the_process_keeps_the_call(how: str, reasons: dict) -> None:
    told = "; ".join(reasons["outside", how])
    assert "depends on " in told or "is not fixed in the script" in told, told


@pytest.mark.parametrize("how", IN_ORDER)
def test_the_order_of_a_set_keeps_the_call(how: str, reasons: dict) -> None:
    told = "; ".join(reasons["in order", how])
    assert "a set, whose order may be another one in each run" in told, told


@pytest.mark.parametrize("how", WITHOUT_ORDER)
def test_a_set_whose_order_nothing_sees_keeps_no_call(how: str, reasons: dict) -> None:
    assert reasons["without order", how] == []


@pytest.mark.parametrize("how", FIXED)
def test_what_every_run_does_alike_gives_way(how: str, reasons: dict) -> None:
    assert reasons["fixed", how] == []


def test_what_varies_is_told_and_not_the_method_that_is_called_of_it(reasons: dict) -> None:
    told = "; ".join(reasons["name", "a method of what varies"])
    assert "depends on k (line 4: " in told and "k.strip (" not in told, told
