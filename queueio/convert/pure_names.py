"""What of the modules that scripts import gives the same in each run, by name.

What is missing here may be another thing tomorrow, so what nobody thought of keeps a batch call.
What TensorFlow has is in `pure_tensorflow.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PureNames:
    """Which names of a module are pure: those given, or, with `but`, all others."""

    given: frozenset[str]
    but: bool = False

    def __contains__(self, name: str) -> bool:
        return (name in self.given) != self.but


def only(text: str) -> PureNames:
    """Those that stand in a text."""
    return PureNames(frozenset(text.split()))


def all_but(text: str = "") -> PureNames:
    """All that do not."""
    return PureNames(frozenset(text.split()), but=True)


_NUMBERS = """
    False_ Inf Infinity NAN NINF NZERO NaN PINF PZERO ScalarType True_ bool bool8 bool_ byte bytes0
    bytes_ cdouble cfloat character clongdouble clongfloat complex complex128 complex256 complex64
    complex_ complexfloating csingle double dtype e euler_gamma finfo flexible float float128
    float16 float32 float64 float_ floating generic half iinfo inexact inf infty int int0 int16
    int32 int64 int8 int_ intc integer intp little_endian long longcomplex longdouble longfloat
    longlong nan newaxis number object object_ pi short signedinteger single singlecomplex str
    str0 str_ string_ timedelta64 typecodes ubyte uint uint0 uint16 uint32 uint64 uint8 uintc
    uintp ulong ulonglong unicode unicode_ unsignedinteger ushort void __version__
"""
_ARRAYS = """
    append apply_along_axis apply_over_axes arange argpartition argsort argwhere array array2string
    array_equal array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite
    ascontiguousarray asfarray asfortranarray asmatrix asscalar astype atleast_1d atleast_2d
    atleast_3d base_repr binary_repr block bmat broadcast broadcast_arrays broadcast_shapes
    broadcast_to c_ can_cast choose column_stack common_type compress concat concatenate copy
    copyto delete diag diag_indices diag_indices_from diagflat diagonal dsplit dstack empty
    empty_like errstate expand_dims extract eye fill_diagonal find_common_type flatiter flatnonzero
    flip fliplr flipud format_float_positional format_float_scientific frombuffer fromfunction
    fromiter frompyfunc full full_like hsplit hstack identity index_exp indices insert isdtype
    isfortran isscalar issubdtype iterable ix_ lexsort mask_indices mat matrix matrix_transpose
    meshgrid mgrid moveaxis ndarray ndenumerate ndim ndindex nditer nested_iters ogrid ones
    ones_like packbits pad partition permute_dims piecewise place printoptions promote_types put
    put_along_axis putmask r_ ravel ravel_multi_index recarray record repeat require reshape
    resize result_type roll rollaxis rot90 row_stack s_ searchsorted select seterr
    set_printoptions shape size sort split squeeze stack swapaxes take take_along_axis tile
    transpose tri tril tril_indices tril_indices_from trim_zeros triu triu_indices
    triu_indices_from ufunc unpackbits unravel_index unstack vander vectorize vsplit vstack where
    zeros zeros_like char fft fromstring linalg polynomial save savetxt savez savez_compressed
    strings
"""
_ARITHMETIC = """
    abs absolute acos acosh add all allclose alltrue amax amin angle any arccos arccosh arcsin
    arcsinh arctan arctan2 arctanh argmax argmin around asin asinh atan atan2 atanh average
    bartlett bincount bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor blackman cbrt ceil clip conj conjugate convolve
    copysign corrcoef correlate cos cosh count_nonzero cov cross cumprod cumproduct cumsum
    cumulative_prod cumulative_sum deg2rad degrees diff digitize divide divmod dot ediff1d einsum
    einsum_path equal exp exp2 expm1 fabs fix float_power floor floor_divide fmax fmin fmod frexp
    gcd geomspace gradient greater greater_equal hamming hanning heaviside histogram histogram2d
    histogram_bin_edges histogramdd hypot i0 imag in1d inner interp intersect1d invert isclose
    iscomplex iscomplexobj isfinite isin isinf isnan isneginf isposinf isreal isrealobj kaiser kron
    lcm ldexp left_shift less less_equal linspace log log10 log1p log2 logaddexp logaddexp2
    logical_and logical_not logical_or logical_xor logspace matmul matvec max maximum mean median
    min minimum mod modf msort multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax
    nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar negative
    nextafter nonzero not_equal outer percentile poly poly1d polyadd polyder polydiv polyfit
    polyint polymul polysub polyval positive pow power prod product ptp quantile rad2deg radians
    real real_if_close reciprocal remainder right_shift rint roots round round_ setdiff1d setxor1d
    sign signbit sin sinc sinh sometrue spacing sqrt square std subtract sum tan tanh tensordot
    trace trapezoid trapz true_divide trunc union1d unique unique_all unique_counts unique_inverse
    unique_values unwrap var vdot vecdot vecmat
"""
_WHOLE = """
    __future__ collections contextlib copy functools itertools math operator re string struct
"""
MODULES = {
    "numpy": only(f"{_NUMBERS} {_ARRAYS} {_ARITHMETIC}"),
    "numpy.lib": only("stride_tricks"),
    "numpy.rec": only("array fromarrays fromrecords fromstring recarray record"),
    "os": only("altsep curdir extsep linesep pardir pathsep sep"),
    "os.path": only(
        "altsep basename commonpath commonprefix curdir dirname extsep isabs join normcase"
        " normpath pardir pathsep sep split splitdrive splitext splitunc"
    ),
    "sys": only("byteorder float_info maxsize"),
    "json": only("JSONDecodeError JSONDecoder JSONEncoder dumps loads"),
    "six": only(
        "PY2 PY3 PY34 StringIO BytesIO add_metaclass advance_iterator b binary_type byte2int"
        " class_types ensure_binary ensure_str ensure_text indexbytes int2byte integer_types"
        " iterbytes iteritems iterkeys itervalues iterlists next print_ python_2_unicode_compatible"
        " raise_from reraise string_types text_type u unichr viewitems viewkeys viewvalues"
        " with_metaclass wraps"
    ),
    "six.moves": only("filter filterfalse map range reduce xrange zip zip_longest"),
    **dict.fromkeys(_WHOLE.split(), all_but("__dict__ __file__ __loader__ __spec__")),
}  # fmt: skip
"""Of each module; of those that are not named here nothing is pure."""
BUILTINS = all_but(
    "__build_class__ __debug__ __import__ __loader__ __spec__ breakpoint compile copyright credits"
    " dir eval exec exit globals hash help id input license locals memoryview open quit vars"
)
