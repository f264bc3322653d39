"""For each op type of the emit tables: pipelines that use it, on values at the edges.

A case takes rows (one array for each input) and ops on one row of each.
"""

from __future__ import annotations

import inspect
import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import op_inputs as values
import tensorflow as tf

raw, f32, i32, string = tf.raw_ops, np.float32, np.int32, tf.string


@dataclass(frozen=True)
class Case:
    """Rows, and what is made of one of each."""

    type: str
    name: str
    rows: tuple[Any, ...]
    build: Callable[..., Any]
    drawn: bool = False
    """Whether the numbers may be others: only dtype and shape are compared."""
    ways: tuple[str, ...] = ("dataset", "plain", "fast")
    """Which are compared: `to_dataset` has no tables of before TF 1.0."""
    group: str = ""
    """Cases of one type and group are components of one pipeline."""


CASES: list[Case] = []


def case(kind: str, build: Callable[..., Any], *rows: Any, name: str = "", **more: Any) -> None:
    """One more case of an op type."""
    name = f"{kind} {name}".strip()
    CASES.append(Case(kind, name, tuple(rows), build, **more))


def op(kind: str) -> Callable[..., Any]:
    """`tf.raw_ops.<kind>` by position."""
    made = getattr(raw, kind)
    names = list(inspect.signature(made).parameters)

    def call(*args: Any, **attrs: Any) -> Any:
        return made(**dict(zip(names, args, strict=False)), **attrs)

    return call


FLOATS = (np.float32, np.float64, np.float16)
NO_HALVES = ("Mod", "Rint")  # TensorFlow has them not
_UNARY = (
    "Abs Acos Asin Atan Ceil Cos Cosh Elu Erf Exp Expm1 Floor Inv IsFinite IsInf IsNan L2Loss Log"
    " Log1p OnesLike Reciprocal Relu Relu6 Rint Round Rsqrt Sigmoid Sign Sin Sinh Softplus Sqrt"
    " Square Tan Tanh ZerosLike Neg Softmax LogSoftmax"
)
_BINARY = (
    "Add AddV2 Sub Mul RealDiv FloorDiv FloorMod Less LessEqual Greater GreaterEqual Atan2 Div"
    " DivNoNan Equal Maximum Minimum Mod NotEqual Pow SquaredDifference Xdivy Xlogy"
)
_WHOLE = "Add AddV2 Sub Mul FloorDiv FloorMod Div Less Equal Maximum TruncateDiv TruncateMod Mod"

# In sessions of TensorFlow 2.16, -1.0 * 0.0 and -1.0 / inf are 0.0; a written module says so.
_SIGNLESS = {("Mul", 0.0), ("Div", np.inf), ("RealDiv", np.inf)}
_LEFT_OUT = _SIGNLESS if tf.__version__.startswith("2.16.") else frozenset()
for _kind in _UNARY.split():
    for _dtype in FLOATS[:2] if _kind in NO_HALVES else FLOATS:
        _shape = (5, 1) if "oftmax" in _kind else (5,)
        _shape = (1, 19) if _dtype is np.float32 and "oftmax" in _kind else _shape
        case(_kind, op(_kind), values.floats(_dtype, _shape), name=_dtype.__name__)
    _shape = (1, 16) if "oftmax" in _kind else (32,)
    case(_kind, op(_kind), values.floats(f32, _shape), name="in whole vectors", group="vectors")
for _kind in _BINARY.split():
    case(_kind, op(_kind), values.floats(f32, (32,)), values.floats(f32, (32,), 5),
         name="in whole vectors", group="vectors")  # fmt: skip
    for _dtype in FLOATS[:2] if _kind in NO_HALVES else FLOATS:
        case(_kind, op(_kind), values.floats(_dtype), values.floats(_dtype, seed=5),
             name=_dtype.__name__)  # fmt: skip
        for _number in (255.0, 0.1, -3.0, 0.0, np.inf):
            if (_kind, _number) in _LEFT_OUT:
                continue
            case(_kind, lambda x, k=_kind, n=_number: op(k)(x, tf.constant(n, x.dtype)),
                 values.floats(_dtype), name=f"{_dtype.__name__} by {_number}")  # fmt: skip
        case(_kind, lambda x, k=_kind: op(k)(tf.constant(0.7, x.dtype), x),
             values.tame(_dtype), name=f"{_dtype.__name__} of a constant")  # fmt: skip
        case(_kind, lambda x, k=_kind: op(k)(x, tf.constant([3, 0.1, 7, 0.299, 1], x.dtype)),
             values.tame(_dtype), name=f"{_dtype.__name__} by a vector")  # fmt: skip
for _kind in _WHOLE.split():
    for _dtype in (np.int32, np.int64, np.uint8):
        try:
            with tf.Graph().as_default():
                op(_kind)(tf.constant([1], _dtype), tf.constant([1], _dtype))
        except (TypeError, ValueError):
            continue
        case(_kind, lambda x, k=_kind: op(k)(x, tf.constant(7, x.dtype)),
             values.integers(_dtype), name=_dtype.__name__)  # fmt: skip
for _kind in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
    for _dtype in (np.int32, np.uint8, np.int64):
        _right = values.integers(_dtype, seed=3)
        _right = _right % 7 if "Shift" in _kind else _right
        case(_kind, op(_kind), values.integers(_dtype), _right, name=_dtype.__name__)
case("Invert", op("Invert"), values.integers())
for _dtype in (np.int32, np.int64):
    case("Abs", op("Abs"), values.integers(_dtype), name=_dtype.__name__)
    case("Neg", op("Neg"), values.integers(_dtype), name=_dtype.__name__)
    case("Sign", op("Sign"), values.integers(_dtype), name=_dtype.__name__)
for _kind in ("LogicalAnd", "LogicalOr"):
    case(_kind, op(_kind), values.bools(), values.bools(seed=1))
case("LogicalNot", op("LogicalNot"), values.bools())
case("Select", op("Select"), values.bools(), values.floats(), values.floats(seed=1))
case("SelectV2", op("SelectV2"), values.bools(), values.floats(), values.floats(seed=1))
case("InvertPermutation", op("InvertPermutation"),
     np.array([np.random.RandomState(i).permutation(5) for i in range(12)], i32))  # fmt: skip
_IMAGE = values.tame(f32, (3, 5, 3), 0, 1)
for _kind in ("HSVToRGB", "RGBToHSV"):
    case(_kind, op(_kind), _IMAGE)
case("AdjustHue", lambda x: raw.AdjustHue(images=x, delta=0.3), _IMAGE)
case("AdjustSaturation", lambda x: raw.AdjustSaturation(images=x, scale=0.7), _IMAGE)
case("AdjustContrastv2", lambda x: raw.AdjustContrastv2(images=x, contrast_factor=0.7), _IMAGE)
case("ClipByValue", lambda x: raw.ClipByValue(t=x, clip_value_min=-1.5, clip_value_max=100.0),
     values.floats())  # fmt: skip
case("Where", lambda x: tf.compat.v1.where(x > 0), values.floats())
case("Where", lambda x: raw.Where(condition=x), values.integers(), name="numbers")
for _kind in ("Real", "Imag", "ComplexAbs"):
    case(_kind, op(_kind), values.values(np.complex64))
# tf.sign divides a complex number by its size, which may be none or infinite.
case("Sign", lambda x: raw.Sign(x=tf.complex(x[0], x[1])), values.floats(f32, (2, 7)),
     name="complex")  # fmt: skip
# Numbers of its own: of those that another op takes too, a session adds up the others first.
case("AddN", lambda x, y, z: raw.AddN(inputs=[x, y, z]), values.floats(seed=11),
     values.floats(seed=12), values.tame(seed=13))  # fmt: skip
for _from, _to in ((np.uint8, f32), (f32, np.uint8), (f32, i32), (np.int64, f32), (f32, np.float16),
                   (f32, np.float64), (np.float64, f32), (i32, np.bool_), (np.bool_, f32),
                   (np.int64, i32), (i32, np.uint8)):  # fmt: skip
    _rows = values.values(_from)
    if np.dtype(_from).kind == "f" and np.dtype(_to).kind in "iu":
        _rows = values.tame(_from)  # what lies outside is the processor's choice
    case("Cast", lambda x, to=_to: raw.Cast(x=x, DstT=to), _rows,
         name=f"{np.dtype(_from)} to {np.dtype(_to)}")  # fmt: skip
case("Bitcast", lambda x: raw.Bitcast(input=x, type=tf.int32), values.floats())
for _kind in ("Sum", "Mean", "Max", "Min", "Prod"):
    for _name, _rows in {"float32": values.tame(f32, (3, 7)), "edges": values.floats(f32, (3, 7)),
                         "int32": values.integers(i32, (3, 7))}.items():  # fmt: skip
        for _axes in ([0, 1], [0], [-1]):
            case(_kind, lambda x, k=_kind, a=_axes: op(k)(x, a), _rows, name=f"{_name} {_axes}")
    case(_kind, lambda x, k=_kind: op(k)(x, [0], keep_dims=True), values.tame(f32, (3, 7)),
         name="keeping")  # fmt: skip
for _kind in ("All", "Any"):
    case(_kind, lambda x, k=_kind: op(k)(x, [0]), values.bools())
for _kind in ("ArgMax", "ArgMin"):
    case(_kind, lambda x, k=_kind: op(k)(x, 0), values.tame())
    case(_kind, lambda x, k=_kind: op(k)(x, 0, output_type=tf.int32), values.integers(),
         name="int32")  # fmt: skip
for _kind in ("Cumsum", "Cumprod"):
    case(_kind, lambda x, k=_kind: op(k)(x, 0, reverse=True), values.tame())
    case(_kind, lambda x, k=_kind: op(k)(x, 0, exclusive=True), values.integers(), name="int32")
case("MatMul", lambda x, y: raw.MatMul(a=x, b=y, transpose_b=True), values.tame(f32, (3, 7)),
     values.tame(f32, (2, 7), seed=1))  # fmt: skip
for _kind in ("BatchMatMul", "BatchMatMulV2"):
    for _turned in (False, True):
        case(_kind, lambda x, y, k=_kind, t=_turned: op(k)(x, y, adj_y=t),
             values.tame(f32, (2, 3, 3)), values.tame(f32, (2, 3, 3), seed=1),
             name=f"turned {_turned}")  # fmt: skip

_GRID = values.floats(f32, (3, 4))
case("Reshape", lambda x: raw.Reshape(tensor=x, shape=[4, 3]), _GRID)
case("Reshape", lambda x: raw.Reshape(tensor=x, shape=[-1]), values.strings((3, 2)), name="strings")
case("ExpandDims", lambda x: raw.ExpandDims(input=x, axis=-1), _GRID)
case("Tile", lambda x: raw.Tile(input=x, multiples=[2, 1]), _GRID)
case("Fill", lambda x: raw.Fill(dims=[3], value=x[0]), values.floats())
case("BroadcastTo", lambda x: raw.BroadcastTo(input=x, shape=[2, 5]), values.floats())
case("Slice", lambda x: raw.Slice(input=x, begin=[1, 0], size=[2, 3]), _GRID)
case("ReverseV2", lambda x: raw.ReverseV2(tensor=x, axis=[1]), _GRID)
case("Range", lambda x: raw.Range(start=0, limit=x[0], delta=2), values.tame(i32, high=9))
case("LinSpace", lambda x: raw.LinSpace(start=0.0, stop=x[0], num=7), values.tame())
case("MatrixDiag", lambda x: raw.MatrixDiag(diagonal=x), values.floats())
case("Diag", lambda x: raw.Diag(diagonal=x), values.floats())
case("GatherNd", lambda x: raw.GatherNd(params=x, indices=[[0, 1], [2, 3]]), _GRID)
if "bad_indices_policy" in inspect.signature(raw.GatherNd).parameters:  # not yet in TensorFlow 2.16
    case("GatherNd", lambda x: raw.GatherNd(params=x, indices=[[0, 1], [7, 3]],
         bad_indices_policy="IGNORE"), _GRID, name="beyond the end")  # fmt: skip
case("ScatterNd", lambda x: raw.ScatterNd(indices=[[1], [3], [1], [0], [5]], updates=x, shape=[6]),
     values.integers())  # fmt: skip
case("Rank", lambda x: raw.Add(x=tf.cast(raw.Rank(input=x), tf.float32), y=x), _GRID)
case("BroadcastArgs", lambda x: raw.BroadcastArgs(s0=tf.abs(x[:1]) % 3, s1=[1]), values.integers())
case("DynamicStitch", lambda x, y: raw.DynamicStitch(indices=[[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]],
                                                     data=[x, y]), values.floats(),
     values.floats(seed=1))  # fmt: skip
for _kind in ("SegmentSum", "SegmentMean", "SegmentMax"):
    case(_kind, lambda x, k=_kind: op(k)(x, [0, 0, 1, 1, 1]), values.tame())
case("UnsortedSegmentSum", lambda x: raw.UnsortedSegmentSum(
    data=x, segment_ids=[2, 0, 1, 2, 0], num_segments=4), values.tame())  # fmt: skip
case("Transpose", lambda x: raw.Transpose(x=x, perm=[1, 0]), _GRID)
case("Transpose", lambda x: raw.Transpose(x=x, perm=[1, 2, 0]), _IMAGE, name="image")
case("Squeeze", lambda x: raw.Squeeze(input=x, axis=[0]), values.floats(f32, (1, 5)))
case("Squeeze", lambda x: raw.Squeeze(input=x), values.floats(f32, (1, 5, 1)), name="all")
case("Shape", lambda x: raw.Shape(input=raw.Range(start=0, limit=x[0], delta=1)),
     values.tame(i32, high=9))  # fmt: skip
case("Size", lambda x: raw.Size(input=raw.Range(start=0, limit=x[0], delta=1), out_type=tf.int64),
     values.tame(i32, high=9))  # fmt: skip
case("Pack", lambda x, y: raw.Pack(values=[x, y], axis=1), values.floats(), values.floats(seed=1))
case("Unpack", lambda x: raw.Unpack(value=x, num=4, axis=-1)[2], _GRID)
case("Unpack", lambda x: raw.Unpack(value=x, num=3, axis=0)[1], _GRID, name="rows")
case("ConcatV2", lambda x, y: raw.ConcatV2(values=[x, y], axis=0), values.strings((2,)),
     values.strings((3,)))  # fmt: skip
case("Concat", lambda x, y: raw.Concat(concat_dim=1, values=[x, y]), _GRID, _GRID)
case("Split", lambda x: raw.Split(axis=1, value=x, num_split=2), _GRID)
case("SplitV", lambda x: raw.SplitV(value=x, size_splits=[1, 3], axis=1, num_split=2), _GRID)
case("GatherV2", lambda x, i: raw.GatherV2(params=x, indices=i % 3, axis=0), _GRID,
     values.tame(i32, high=99))  # fmt: skip
case("GatherV2", lambda x: raw.GatherV2(params=x, indices=[3, 0], axis=1), _GRID, name="axis")
case("Gather", lambda x, i: raw.Gather(params=x, indices=i % 3), _GRID, values.tame(i32, high=99))
case("OneHot", lambda x: raw.OneHot(indices=x, depth=7, on_value=1.0, off_value=0.0),
     values.tame(np.int64, high=9))  # fmt: skip
case("OneHot", lambda x: raw.OneHot(indices=x, depth=7, on_value=9, off_value=-1, axis=0),
     values.tame(i32, high=9), name="other values")  # fmt: skip
case("OneHot", lambda x: raw.OneHot(indices=x, depth=7, on_value=True, off_value=False),
     values.tame(i32, high=9), name="truths")  # fmt: skip
case("OneHot", lambda x: raw.OneHot(indices=x, depth=7, on_value=1.0, off_value=-0.0),
     values.tame(i32, high=9), name="negative zero")  # fmt: skip
case("Pad", lambda x: raw.Pad(input=x, paddings=[[1, 0], [0, 2]]), _GRID)
case("PadV2", lambda x: raw.PadV2(input=x, paddings=[[1, 0], [0, 2]], constant_values=7.5), _GRID)
for _mode in ("REFLECT", "SYMMETRIC"):
    case("MirrorPad", lambda x, m=_mode: raw.MirrorPad(input=x, paddings=[[1, 1], [2, 0]], mode=m),
         _GRID, name=_mode)  # fmt: skip
case("DynamicPartition", lambda x: raw.DynamicPartition(
    data=x, partitions=[0, 1, 1, 0, 1], num_partitions=2), values.floats())  # fmt: skip
case("TopKV2", lambda x: raw.TopKV2(input=x, k=3), values.integers())
case("Unique", lambda x: raw.Unique(x=x % 3), values.tame(i32))
case("UniqueWithCounts", lambda x: raw.UniqueWithCounts(x=x % 3, out_idx=tf.int64),
     values.tame(i32))  # fmt: skip
case("StridedSlice", lambda x: x[1:, ::-1], _GRID)
case("StridedSlice", lambda x: x[tf.newaxis, ..., -1, 1:3], values.floats(f32, (2, 3, 4)),
     name="ellipsis")  # fmt: skip
case("StridedSlice", lambda x, i: x[i[0] : i[0] + 2], values.floats(), values.tame(i32, high=3),
     name="computed")  # fmt: skip
case("StridedSlice", lambda x: x[-2:0:-1], values.floats(), name="backwards")
case("SparseToDense", lambda x: raw.SparseToDense(
    sparse_indices=[[0], [2], [3], [5], [7]], output_shape=[9], sparse_values=x,
    default_value=-1.0), values.floats())  # fmt: skip
case("SparseReorder", lambda x: list(raw.SparseReorder(
    input_indices=tf.cast([[2], [0], [3], [1], [4]], tf.int64), input_values=x,
    input_shape=tf.cast([5], tf.int64))), values.floats())  # fmt: skip
case("EnsureShape", lambda x: raw.EnsureShape(input=tf.boolean_mask(x, x > -1e9), shape=[5]),
     values.tame())  # fmt: skip
case("CheckNumerics", lambda x: raw.CheckNumerics(tensor=x, message='is "it"\n?'), values.tame())
case("CheckNumericsV2", lambda x: raw.CheckNumericsV2(tensor=x, message="why"), values.tame())
case("Print", lambda x: tf.compat.v1.Print(x, [x], "value", 2), values.floats())

_TEXT = values.strings()
case("StringJoin", lambda x: raw.StringJoin(inputs=[x, "\0-", x], separator='"'), _TEXT)
case("StringSplit", lambda x: list(raw.StringSplit(input=[x], delimiter=" ")), _TEXT)
case("StringSplit", lambda x: list(raw.StringSplit(input=[x], delimiter=",", skip_empty=False)),
     _TEXT, name="keeping")  # fmt: skip
case("StringSplitV2", lambda x: list(raw.StringSplitV2(input=[x], sep=" ", maxsplit=1)), _TEXT)
case("StringSplitV2", lambda x: list(raw.StringSplitV2(input=[x], sep="")), _TEXT, name="blank")
_DIGITS = values.strings((), [b"0", b" 7", b"-1.5e3", b"1e-45", b"3.4e38", b"nan", b"inf", b"-0"])
case("StringToNumber", lambda x: raw.StringToNumber(string_tensor=x), _DIGITS)
case("StringToNumber", lambda x: raw.StringToNumber(string_tensor=x, out_type=tf.int64),
     values.strings((), [b"0", b"-7", b"9223372036854775807"]), name="int64")  # fmt: skip
case("AsString", op("AsString"), values.floats())
case("AsString", lambda x: raw.AsString(input=x, precision=3), values.floats(), name="precision")
case("AsString", lambda x: raw.AsString(input=x, shortest=True, width=9, fill="0"),
     values.floats(), name="filled")  # fmt: skip
case("AsString", op("AsString"), values.integers(np.int64), name="int64")
_LONG = values.strings((), ["Grüße".encode(), b"abc\0\0", b"\xff\xfe\xfd"])
case("Substr", lambda x: raw.Substr(input=x, pos=1, len=2), _LONG)
case("Substr", lambda x: raw.Substr(input=x, pos=-2, len=2), _LONG, name="from behind")
case("StringLength", op("StringLength"), _TEXT)
case("StringLength", lambda x: raw.StringLength(input=x, unit="UTF8_CHAR"),
     values.strings((), [b"", "Grüße".encode()]), name="characters")  # fmt: skip
case("RegexReplace", lambda x: raw.RegexReplace(input=x, pattern=r"[\sü]", rewrite=r"<\0>"), _TEXT)
case("StaticRegexReplace", lambda x: raw.StaticRegexReplace(
    input=x, pattern="a", rewrite='"', replace_global=False), _TEXT)  # fmt: skip
case("RegexFullMatch", lambda x: raw.RegexFullMatch(input=x, pattern=".*[0-9] ?"), _TEXT)
case("StaticRegexFullMatch", lambda x: raw.StaticRegexFullMatch(input=x, pattern="'.*"), _TEXT)
for _kind in ("StringToHashBucketFast", "StringToHashBucket"):
    case(_kind, lambda x, k=_kind: op(k)(x, num_buckets=1000), _TEXT)
for _kind in ("StringStrip", "StringLower", "StringUpper"):
    case(_kind, op(_kind), _TEXT)
case("StringLower", lambda x: raw.StringLower(input=x, encoding="utf-8"),
     values.strings((), ["GRÜSSE".encode()]), name="utf-8")  # fmt: skip
case("ReduceJoin", lambda x: raw.ReduceJoin(inputs=x, reduction_indices=[0], separator="\r"),
     values.strings((3,)))  # fmt: skip
case("ReduceJoin", lambda x: raw.ReduceJoin(inputs=x, reduction_indices=[0], keep_dims=True),
     values.strings((3,)), name="keeping")  # fmt: skip

_RAW = values.strings((), [bytes(range(i, i + 16)) for i in range(0, 240, 20)])
for _dtype in (tf.uint8, tf.int32, tf.float32, tf.float64):
    case("DecodeRaw", lambda x, k=_dtype: tf.reshape(
        raw.DecodeRaw(bytes=x, out_type=k), [16 // k.size]), _RAW, name=_dtype.name)  # fmt: skip
case("DecodeRaw", lambda x: raw.DecodeRaw(bytes=x, out_type=tf.int16, little_endian=False), _RAW,
     name="big-endian")  # fmt: skip
_LINES = values.strings((), [
    b"1,2.5,a", b',,', b'-7,1e-40,"x ""y"", z"', b'3,inf,"one\rtwo"', b"0,nan,a\0\0",
    "9,-0.0,Grüße".encode(), b'4,1,"line\nbreak"', b"7,3.4e38,' '", b"5,0.1,\xff"])  # fmt: skip
case("DecodeCSV", lambda x: raw.DecodeCSV(records=x, record_defaults=[[7], [0.1], [b"\0"]]), _LINES)
case("DecodeCSV", lambda x: raw.DecodeCSV(
    records=x, record_defaults=[[7], ["none"]], select_cols=[0, 2], na_value="nan"), _LINES,
     name="selected")  # fmt: skip
case("DecodeCSV", lambda x: raw.DecodeCSV(
    records=x, record_defaults=[tf.zeros([0]), ["a\0"]], field_delim="|", use_quote_delim=False),
     values.strings((), [b'1|"a"', b'2|', b"3|\x00"]), name="required")  # fmt: skip


def _images(suffix: str) -> Any:
    from PIL import Image

    found = []
    for i in range(3):
        picture = np.random.RandomState(i).randint(0, 256, (6, 5, 3)).astype(np.uint8)
        held = io.BytesIO()
        Image.fromarray(picture).save(held, suffix)
        found.append(held.getvalue())
    return values.strings((), found)


for _kind in ("Jpeg", "Png", "Bmp", "Gif"):
    case(f"Decode{_kind}", op(f"Decode{_kind}"), _images(_kind.upper()))
case("DecodeJpeg", lambda x: raw.DecodeJpeg(
    contents=x, channels=1, ratio=2, fancy_upscaling=False, dct_method="INTEGER_ACCURATE",
    acceptable_fraction=0.5), _images("JPEG"), name="options")  # fmt: skip
case("DecodePng", lambda x: raw.DecodePng(contents=x, channels=3, dtype=tf.uint16), _images("PNG"),
     name="options")  # fmt: skip
case("DecodeAndCropJpeg", lambda x: raw.DecodeAndCropJpeg(
    contents=x, crop_window=[1, 1, 3, 2], channels=3), _images("JPEG"))  # fmt: skip
case("DecodeImage", lambda x: raw.DecodeImage(contents=x, channels=3, expand_animations=False),
     _images("PNG"))  # fmt: skip
case("DecodeImage", lambda x: raw.DecodeImage(contents=x, dtype=tf.float32), _images("GIF"),
     name="float32")  # fmt: skip
_BATCH = values.tame(f32, (1, 3, 5, 3))
for _kind in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"):
    for _corners in (False, True):
        case(_kind, lambda x, k=_kind, c=_corners: op(k)(x, [4, 7], align_corners=c), _BATCH,
             name=f"corners {_corners}")  # fmt: skip
case("ResizeBilinear", lambda x: raw.ResizeBilinear(
    images=x, size=[4, 7], half_pixel_centers=True), _BATCH, name="half pixels")  # fmt: skip
case("EncodePng", op("EncodePng"), values.integers(np.uint8, (3, 4, 3)))
case("EncodePng", lambda x: raw.EncodePng(image=x, compression=0),
     values.integers(np.uint8, (3, 4, 3)), name="uncompressed")  # fmt: skip
_BASE = values.strings((), [b"", b"AAEC", b"-_8", b"YQ"])
case("DecodeBase64", op("DecodeBase64"), _BASE)
for _pad in (False, True):
    case("EncodeBase64", lambda x, p=_pad: raw.EncodeBase64(input=x, pad=p), _TEXT,
         name=f"padded {_pad}")  # fmt: skip
case("DecodeCompressed", lambda x: raw.DecodeCompressed(bytes=x, compression_type="ZLIB"),
     values.strings((), [__import__("zlib").compress(t) for t in set(_TEXT)]))  # fmt: skip
case("DecodeJSONExample", op("DecodeJSONExample"), values.strings((), [
    b'{"features": {"feature": {"a": {"int64List": {"value": [1]}}}}}', b"{}"]))  # fmt: skip
_FILES = values.strings((), [__file__.encode()])
case("ReadFile", op("ReadFile"), _FILES)
case("MatchingFiles", op("MatchingFiles"), _FILES)


def _written(name: Any, content: Any) -> Any:
    name = tf.strings.join([tempfile.gettempdir(), "/queueio-op-cases-", name])
    with tf.control_dependencies([raw.WriteFile(filename=name, contents=content)]):
        return tf.identity(content)


case("WriteFile", _written, values.strings((), [b"%d" % i for i in range(12)]), _TEXT)


def _record(i: int) -> bytes:
    feature, train = {}, tf.train
    feature["a"] = train.Feature(float_list=train.FloatList(value=[0.1 * i, -0.0]))
    feature["b"] = train.Feature(
        bytes_list=train.BytesList(value=[b"x\0" * i, b"one\rtwo"][: i % 3])
    )
    feature["c"] = train.Feature(int64_list=train.Int64List(value=range(i % 4)))
    if i % 2:
        feature["d"] = train.Feature(bytes_list=train.BytesList(value=[b"\xff\0"]))
    return train.Example(features=train.Features(feature=feature)).SerializeToString()


def _sequence(i: int) -> bytes:
    train = tf.train
    rows = [train.Feature(float_list=train.FloatList(value=[j, 0.1])) for j in range(i % 4)]
    steps = train.FeatureLists(feature_list={"s": train.FeatureList(feature=rows)})
    kept = train.Features(feature={"k": train.Feature(int64_list=train.Int64List(value=[i]))})
    return train.SequenceExample(context=kept, feature_lists=steps).SerializeToString()


_RECORDS = values.strings((), [_record(i) for i in range(12)])
_SEQUENCES = values.strings((), [_sequence(i) for i in range(12)])
_WANTED = {
    "a": tf.io.FixedLenFeature([2], tf.float32),
    "d": tf.io.FixedLenFeature([], tf.string, default_value=b"none\0"),
}
_SPARSE = {"b": tf.io.VarLenFeature(tf.string), "c": tf.io.VarLenFeature(tf.int64)}


def _parts(found: dict[str, Any]) -> list[Any]:
    return [
        part
        for _, value in sorted(found.items())
        for part in ((value.indices, value.values, value.dense_shape)
                     if isinstance(value, tf.SparseTensor) else (value,))
    ]  # fmt: skip


def _single(record: Any) -> Any:
    found = raw.ParseSingleExample(
        serialized=record, dense_defaults=[tf.zeros([0]), tf.constant(b"none\0")],
        num_sparse=2, sparse_keys=["b", "c"], dense_keys=["a", "d"],
        sparse_types=[tf.string, tf.int64], dense_shapes=[[2], []],
    )  # fmt: skip
    return tf.nest.flatten(tuple(found))


def _old(record: Any) -> Any:
    found = raw.ParseExample(
        serialized=[record], names=[], sparse_keys=["b"], dense_keys=["a", "d"],
        dense_defaults=[tf.zeros([0]), tf.constant(b"none\0")], sparse_types=[tf.string],
        dense_shapes=[[2], []],
    )  # fmt: skip
    return tf.nest.flatten(tuple(found))


case("ParseSingleExample", _single, _RECORDS)
case("ParseSingleExample", lambda x: _parts(tf.io.parse_single_example(x, _WANTED)), _RECORDS,
     name="dense")  # fmt: skip
case("ParseExample", _old, _RECORDS)
case("ParseExampleV2", lambda x: _parts(tf.io.parse_example(x, {**_WANTED, **_SPARSE})), _RECORDS)
case("ParseExampleV2", lambda x: _parts(tf.io.parse_example(x, _WANTED)), _RECORDS, name="dense")
case("ParseSequenceExampleV2", lambda x: _parts(tf.io.parse_single_sequence_example(
    x, {"k": tf.io.FixedLenFeature([], tf.int64)},
    {"s": tf.io.FixedLenSequenceFeature([2], tf.float32)})[1]), _SEQUENCES)  # fmt: skip
case("ParseSequenceExampleV2", lambda x: _parts(tf.io.parse_sequence_example(
    [x], {"k": tf.io.FixedLenFeature([], tf.int64)},
    {"s": tf.io.FixedLenSequenceFeature([2], tf.float32)})[1]), _SEQUENCES,
     name="batch")  # fmt: skip


def _old_sequence(record: Any) -> Any:
    found = raw.ParseSingleSequenceExample(
        serialized=record, feature_list_dense_missing_assumed_empty=[], context_sparse_keys=[],
        context_dense_keys=["k"], feature_list_sparse_keys=[], feature_list_dense_keys=["s"],
        context_dense_defaults=[tf.zeros([0], tf.int64)], debug_name="",
        context_dense_shapes=[[]], feature_list_dense_types=[tf.float32],
        feature_list_dense_shapes=[[2]],
    )  # fmt: skip
    return [found.context_dense_values[0], found.feature_list_dense_values[0]]


case("ParseSingleSequenceExample", _old_sequence, _SEQUENCES)

for _kind in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
    case(_kind, lambda x, k=_kind: x + op(k)([5], dtype=tf.float32, seed2=3), values.tame(),
         drawn=True)  # fmt: skip
case("RandomUniformInt", lambda x: x + raw.RandomUniformInt(shape=[5], minval=0, maxval=9, seed2=3),
     values.tame(i32), drawn=True)  # fmt: skip
case("RandomShuffle", lambda x: raw.RandomShuffle(value=x, seed2=3), values.tame(), drawn=True)
case("Multinomial", lambda x: raw.Multinomial(logits=tf.abs(x)[tf.newaxis], num_samples=2, seed2=3),
     values.tame(), drawn=True)  # fmt: skip
case("SampleDistortedBoundingBoxV2", lambda x: list(raw.SampleDistortedBoundingBoxV2(
    image_size=x, bounding_boxes=[[[0.1, 0.1, 0.9, 0.9]]], min_object_covered=0.3, seed2=3)),
     np.full((12, 3), 99, i32), drawn=True)  # fmt: skip


def _table(old: bool, *known: Any, sized: bool = False) -> Callable[..., Any]:
    def build(keys: Any) -> Any:
        keys = tf.constant(known[0]) if known else keys
        made = raw.HashTable if old else raw.HashTableV2
        handle = made(key_dtype=tf.string, value_dtype=tf.int64)
        fill = raw.InitializeTable if old else raw.InitializeTableV2
        filled = fill(table_handle=handle, keys=["a\0\0", "", "\r"],
                      values=tf.cast([1, 2, 3], tf.int64))  # fmt: skip
        tf.compat.v1.add_to_collection("table_initializer", filled)
        find = raw.LookupTableFind if old else raw.LookupTableFindV2
        found = find(table_handle=handle, keys=keys, default_value=tf.cast(-1, tf.int64))
        size = raw.LookupTableSize if old else raw.LookupTableSizeV2
        return found + size(table_handle=handle) if sized else found

    return build


case("LookupTableFind", _table(True), _TEXT, ways=("plain", "fast"))
case("LookupTableFindV2", _table(False), _TEXT)
case("LookupTableSize", _table(True, sized=True), _TEXT, ways=("plain", "fast"))
case("LookupTableSizeV2", _table(False, sized=True), _TEXT)
for _known in ("a\0\0", ["", "x"], [["\r", ""]]):
    case("LookupTableFind", _table(True, _known), _TEXT, ways=("plain", "fast"),
         name=f"of {_known!r}")  # fmt: skip
    case("LookupTableFindV2", _table(False, _known), _TEXT, name=f"of {_known!r}")


def _variable(build: Callable[..., Any]) -> Callable[..., Any]:
    def built(x: Any) -> Any:
        local = [tf.compat.v1.GraphKeys.LOCAL_VARIABLES]
        held = tf.compat.v1.Variable([0.5, 0.1, -3.0, np.inf, 7.0], collections=local)
        return build(held, x)

    return built


case("ReadVariableOp", _variable(lambda v, x: x * v), values.floats())
case("ResourceGather", _variable(lambda v, x: raw.ResourceGather(
    resource=v.handle, indices=x, dtype=tf.float32)), values.tame(i32, high=5))  # fmt: skip
case("ParallelConcat", lambda x: raw.ParallelConcat(values=[x[:1], x[1:2]], shape=[2, 5]),
     values.floats(f32, (2, 5)))  # fmt: skip
