"""Each row of the "use instead" tables as code: the old spelling, and what the row says to write.

`record_advice.py` runs the old code under TensorFlow 1.15.5 and NumPy 1.18.5 and keeps what it
gave in `advice_1_15_5.json`; `test_advice.py` runs the new code under queueio.v1 and compares.
Names that TF 1.0 dropped are spelled as the op that they made, which 1.15.5 still has.

Code of one line is an expression; code of several leaves its result in `y`. What both see is in
`record_advice.names`.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple  # noqa: UP035 - 1.15.5 runs on Python 3.7


class Case(NamedTuple):
    """What is run: the old code under 1.15.5, the new code today.

    Attributes:
      differs: words of the row that say how the results differ; "" where they must be the same.
      needs: a package without which the new code cannot run.
    """

    old: str
    new: str
    differs: str = ""
    needs: str = ""


def same(code: str, old: str, new: str, differs: str = "", needs: str = "") -> Case:
    """The same code but for a name."""
    assert "NAME" in code
    return Case(code.replace("NAME", old), code.replace("NAME", new), differs, needs)


_COLUMNS = """
example = tf.train.Example()
example.features.feature["n"].float_list.value.extend([1.5, 2.5])
example.features.feature["k"].bytes_list.value.append(b"b")
example.features.feature["i"].int64_list.value.append(2)
example.features.feature["w"].float_list.value.append(0.5)
open("words", "w").write("a\\nb\\nc")
examples = [example.SerializeToString()]
"""


def _logits(more: str = "", mode: str = "") -> str:
    """What a model of known weights makes of `x`."""
    return f"""
logits = NAME(2, {more}feature_columns=[tf.feature_column.numeric_column("x", shape=4)])
made = logits(features={{"x": tf.constant(x)}}{mode})
with tf.Session() as sess:
    for i, weight in enumerate(tf.global_variables()):
        size = weight.shape.num_elements()
        weight.load(np.arange(size).reshape(weight.shape).astype(np.float32) / (i + 5), sess)
    y = sess.run(made).tolist()
"""


_OLD = """
columns = %s
spec = tf.contrib.layers.create_feature_spec_for_parsing(columns)
y = tf.contrib.layers.input_from_feature_columns(tf.parse_example(examples, spec), columns)
"""
_NEW = """
columns = %s
spec = tf.feature_column.make_parse_example_spec(columns)
y = tf.feature_column.input_layer(tf.parse_example(examples, spec), columns)
"""


def column(old: str, new: str, differs: str = "", many: bool = False) -> List[Case]:  # noqa: UP006
    """The same dense input from an old column and a new one, LAYERS and COLUMNS for their rooms."""
    old = old.replace("LAYERS", "tf.contrib.layers")
    new = new.replace("COLUMNS", "tf.feature_column")
    old, new = (code if many else f"[{code}]" for code in (old, new))
    return [Case(_COLUMNS + _OLD % old, _COLUMNS + _NEW % new, differs)]


_KEYS = "LAYERS.sparse_column_with_keys('k', ['a', 'b'])"
_LIST = "COLUMNS.categorical_column_with_vocabulary_list('k', ['a', 'b'])"
_INTS = "LAYERS.sparse_column_with_integerized_feature('i', 4)"
_IDENTITY = "COLUMNS.categorical_column_with_identity('i', num_buckets=4)"
_BY_KEYS = column(f"LAYERS.one_hot_column({_KEYS})", f"COLUMNS.indicator_column({_LIST})")
_SEQUENCE = """
ids = tf.constant([[2, 0, 1], [1, 1, 2]])
with tf.variable_scope("s", initializer=tf.constant_initializer([[1, 2], [3, 4], [5, 7]])):
    NAME
"""
_TABLE = "table = tf.get_variable('embeddings', [3, 2])\n    y = "
_LOOKED_UP = "tf.nn.embedding_lookup(table, ids)"
_SAFE = """
ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([2, -1, 1], tf.int64), [3, 2])
y = NAME([tf.constant([[1.0, 2], [3, 4], [5, 7]])], ids, combiner="mean")
"""
_RNN = """
cell = tf.nn.rnn_cell.BasicRNNCell(4)
with tf.variable_scope("s", initializer=constant):
    y = NAME(cell, [tf.constant(x), tf.constant(2 * x)], dtype=tf.float32)
"""
_CELL = """
with tf.variable_scope("s", initializer=constant):
    cell = NAME
    y = cell(x, cell.zero_state(3, tf.float32))
"""
_PEEPHOLE_KERAS = """
cell = tf.keras.experimental.PeepholeLSTMCell(
    2, kernel_initializer=constant, recurrent_initializer=constant%s)
y = cell(x, [tf.ones([3, 2]), tf.ones([3, 2])])[0]
"""
_PEEPHOLE = """
with tf.variable_scope("s", initializer=constant):
    cell = tf.nn.rnn_cell.LSTMCell(2, use_peepholes=True)
    y = cell(x, tf.nn.rnn_cell.LSTMStateTuple(tf.ones([3, 2]), tf.ones([3, 2])))[0]
"""
_WRITER = """
writer = tf.summary.FileWriter("log")
writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=2.0)]), 3)
writer.close()
path = os.path.join("log", os.listdir("log")[0])
y = [(e.step, v.tag, v.simple_value) for e in tf.train.summary_iterator(path)
     for v in e.summary.value]
"""
_SCOPED = """
with tf.name_scope("tower"):
    y = told(%s)
"""
_WRITE_IDX = """
import gzip
pixels = np.arange(0, 240, 20, dtype=np.uint8)
images = np.array([2051, 3, 2, 2], ">i4").tobytes() + pixels.tobytes()
labels = np.array([2049, 3], ">i4").tobytes() + bytes([7, 8, 9])
for name in ("train", "t10k"):
    for kind, content in (("images-idx3", images), ("labels-idx1", labels)):
        with gzip.open("%s-%s-ubyte.gz" % (name, kind), "wb") as file:
            file.write(content)
with open("idx", "wb") as file:
    file.write(images)
"""
_ARRAYS = "a, b = np.arange(5.0), np.arange(5)\n"
_KERAS_MODEL = """
inputs = tf.keras.Input([4])
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, kernel_initializer=constant)(inputs))
"""
_TRAINED = """
v = tf.Variable([1.0, -2.0])
step = OPTIMIZER.minimize(tf.reduce_sum(v ** 3))
with tf.control_dependencies([step]):
    with tf.control_dependencies([step.op if hasattr(step, "op") else step]):
        y = v.read_value()
"""
_SAVED = """
v = tf.get_variable("v", initializer=[1.0, 2.0])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, "model/m", global_step=3)
"""
_NORM = """
h = tf.constant(np.arange(48, dtype=np.float32).reshape(SHAPE) ** 2)
out = NAME
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    updated = tf.identity(out)
with tf.control_dependencies([updated]):
    moving = sorted((v for v in tf.global_variables() if "moving" in v.name), key=lambda v: v.name)
    y = [updated] + [v.read_value() for v in moving]
"""
_LOSS = ("tf.constant([[.2, .7], [.9, .4]])", "tf.constant([[0.0, 1.0], [1.0, 1.0]])")
_THREE = "tf.constant([[1.0, 3.0, 4.0]]), tf.constant([[0.0, 2.0, 1.0]])"


def _norm(name: str, shape: str) -> str:
    return _NORM.replace("NAME", name).replace("SHAPE", shape)


RENAMED = {
    "all_variables": [
        same("v = tf.Variable(x, name='a')\ny = [v.name for v in NAME()]",
             "tf.all_variables", "tf.global_variables"),
    ],
    "audio_summary": [
        Case("told(tf.raw_ops.AudioSummaryV2(tag='a', tensor=x / 5, sample_rate=8.0))",
             "told(tf.summary.audio('a', x / 5, 8.0))"),
        Case(_SCOPED % "tf.raw_ops.AudioSummaryV2(tag='a', tensor=x / 5, sample_rate=8.0)",
             _SCOPED % "tf.summary.audio('a', x / 5, 8.0)", "name scope"),
    ],
    "batch_matmul": [
        Case("tf.raw_ops.BatchMatMul(x=cube, y=cube, adj_x=False, adj_y=True)",
             "tf.matmul(cube, cube, adjoint_b=True)"),
        Case("tf.raw_ops.BatchMatMul(x=cube, y=cube, adj_x=True, adj_y=False)",
             "tf.matmul(cube, cube, adjoint_a=True)"),
    ],
    "complex_abs": [Case("tf.raw_ops.ComplexAbs(x=tf.complex(x, 2 * x))",
                         "tf.abs(tf.complex(x, 2 * x))")],
    "concat_v2": [Case("tf.raw_ops.ConcatV2(values=[x, 2 * x], axis=1)",
                       "tf.concat([x, 2 * x], 1)")],
    "histogram_summary": [
        Case("told(tf.raw_ops.HistogramSummary(tag='a', values=x))",
             "told(tf.summary.histogram('a', x))"),
        Case(_SCOPED % "tf.raw_ops.HistogramSummary(tag='a', values=x)",
             _SCOPED % "tf.summary.histogram('a', x)", "name scope"),
    ],
    "image_summary": [
        Case("told(tf.raw_ops.ImageSummary(tag='a', tensor=image, max_images=3,"
             " bad_color=tf.make_tensor_proto([255, 0, 0, 255], tf.uint8)))",
             "told(tf.summary.image('a', image))"),
        Case(_SCOPED % "tf.raw_ops.ImageSummary(tag='a', tensor=image, max_images=3,"
             " bad_color=tf.make_tensor_proto([255, 0, 0, 255], tf.uint8))",
             _SCOPED % "tf.summary.image('a', image)", "name scope"),
    ],
    "inv": [Case("tf.raw_ops.Inv(x=x)", "tf.reciprocal(x)")],
    "listdiff": [Case("tf.raw_ops.ListDiff(x=[5, 3, 1, 3], y=[1])",
                      "tf.setdiff1d([5, 3, 1, 3], [1])")],
    "merge_all_summaries": [
        Case("tf.summary.scalar('a', 1.0), tf.summary.scalar('b', 2.0)\n"
             "y = told(tf.raw_ops.MergeSummary(inputs=tf.get_collection('summaries')))",
             "tf.summary.scalar('a', 1.0), tf.summary.scalar('b', 2.0)\n"
             "y = told(tf.summary.merge_all())"),
    ],
    "merge_summary": [
        same("a = tf.summary.scalar('a', 1.0)\ny = told(NAME)",
             "tf.raw_ops.MergeSummary(inputs=[a])", "tf.summary.merge([a])"),
    ],
    "mul": [Case("tf.raw_ops.Mul(x=x, y=2 * x)", "tf.multiply(x, 2 * x)")],
    "neg": [Case("tf.raw_ops.Neg(x=x)", "tf.negative(x)")],
    "pack": [Case("tf.raw_ops.Pack(values=[x, 2 * x], axis=1)", "tf.stack([x, 2 * x], 1)")],
    "scalar_summary": [
        Case("told(tf.raw_ops.ScalarSummary(tags='a', values=2.0))",
             "told(tf.summary.scalar('a', 2.0))"),
        Case(_SCOPED % "tf.raw_ops.ScalarSummary(tags='a', values=2.0)",
             _SCOPED % "tf.summary.scalar('a', 2.0)", "name scope"),
    ],
    "select": [
        Case("tf.raw_ops.Select(condition=[True, False, True], x=x, y=2 * x)",
             "tf.where([True, False, True], x, 2 * x)"),
        Case("tf.raw_ops.Select(condition=x > 1, x=x, y=2 * x)", "tf.where(x > 1, x, 2 * x)"),
    ],
    "sub": [Case("tf.raw_ops.Sub(x=x, y=2 * x)", "tf.subtract(x, 2 * x)")],
    "train.SummaryWriter": [Case(_WRITER, _WRITER)],
    "unpack": [Case("tf.raw_ops.Unpack(value=x, num=4, axis=1)", "tf.unstack(x, axis=1)")],
    "nn.rnn": [same(_RNN, "tf.contrib.rnn.static_rnn", "tf.nn.static_rnn")],
}  # fmt: skip

_RESUMED_ESTIMATOR = """
seen = []
def note(value):
    seen.append(int(value))
    return value
def model(features, labels, mode):
    loss = tf.get_variable("v", initializer=0.0)
    with tf.control_dependencies([tf.py_func(note, [features], tf.int64)]):
        step = tf.assign_add(tf.train.get_global_step(), 1)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)
made = tf.estimator.Estimator(model, "m")
for steps in (3, 2):
    made.train(lambda: tf.data.Dataset.range(9), steps=steps,
               hooks=[tf.data.experimental.CheckpointInputPipelineHook(made)])
y = seen
"""
_RESUMED_SESSION = """
y = []
for steps in (3, 2):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(9))
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS,
                             tf.data.experimental.make_saveable_from_iterator(iterator))
        value = iterator.get_next()
        with tf.control_dependencies([value]):
            add = tf.assign_add(step, 1)
        hook = tf.train.CheckpointSaverHook("m", save_steps=1)
        with tf.train.SingularMonitoredSession([hook], checkpoint_dir="m") as sess:
            y += [int(sess.run([value, add])[0]) for _ in range(steps)]
"""
_DATA = "data = tf.data.Dataset.range(8)\n"
NAMES = {
    "data.experimental.CheckpointInputPipelineHook": [
        Case(_RESUMED_ESTIMATOR, _RESUMED_SESSION),
    ],
    "data.experimental.MapVectorizationOptions": [
        Case(_DATA + "options = tf.data.Options()\n"
             "options.experimental_optimization.map_vectorization = "
             "tf.data.experimental.MapVectorizationOptions()\n"
             "options.experimental_optimization.map_vectorization.enabled = True\n"
             "y = read(data.map(lambda n: n * n).batch(3).with_options(options))",
             _DATA + "y = read(data.batch(3).map(lambda n: n * n))"),
    ],
    "examples.*": [
        Case(_WRITE_IDX + "from tensorflow.examples.tutorials.mnist import input_data\n"
             "found = input_data.read_data_sets('.', validation_size=1)\n"
             "y = np.concatenate([found.validation.images, found.train.images])",
             _WRITE_IDX + "reader = tf.FixedLengthRecordReader(4, header_bytes=16)\n"
             "names = tf.train.string_input_producer(['idx'], num_epochs=1)\n"
             "pixels = tf.decode_raw(reader.read(names)[1], tf.uint8)\n"
             "one = tf.reshape(tf.cast(pixels, tf.float32) / 255, [4])\n"
             "y = np.concatenate([s[0] for s in drain(tf.train.batch([one], 1))])"),
    ],
    "keras.experimental.LinearCosineDecay": [
        Case("tf.keras.experimental.LinearCosineDecay(0.1, 100, num_periods=2.5)(7)",
             "tf.train.linear_cosine_decay(0.1, 7, 100, num_periods=2.5)"),
        Case("tf.keras.experimental.LinearCosineDecay(0.1, 100)(70)",
             "tf.train.linear_cosine_decay(0.1, 70, 100)"),
    ],
    "keras.experimental.NoisyLinearCosineDecay": [
        # Without the noise: what is drawn depends on the graph around it.
        Case("tf.keras.experimental.NoisyLinearCosineDecay(0.1, 100, initial_variance=0.)(7)",
             "tf.train.noisy_linear_cosine_decay(0.1, 7, 100, initial_variance=0.)"),
    ],
    "keras.experimental.PeepholeLSTMCell": [
        Case(_PEEPHOLE_KERAS % ", recurrent_activation='sigmoid'", _PEEPHOLE),
        Case(_PEEPHOLE_KERAS % "", _PEEPHOLE, "hard_sigmoid"),
    ],
    "keras.experimental.export_saved_model": [
        Case(_KERAS_MODEL + "tf.keras.experimental.export_saved_model(model, 'm')\n"
             "y = tf.keras.experimental.load_from_saved_model('m').predict(x)",
             _KERAS_MODEL + "model.save('m')\ny = tf.keras.models.load_model('m').predict(x)",
             needs="tf_keras"),
    ],
    "keras.utils.HDF5Matrix": [
        same("import h5py\nwith h5py.File('m.h5', 'w') as file:\n    file['a'] = x\n"
             "y = NAME[1:3]",
             "tf.keras.utils.HDF5Matrix('m.h5', 'a')", "h5py.File('m.h5')['a']"),
    ],
    "lite.experimental.nn.*": [
        same(_CELL, "tf.lite.experimental.nn.TfLiteRNNCell(2)", "tf.nn.rnn_cell.BasicRNNCell(2)"),
        same(_CELL, "tf.lite.experimental.nn.TFLiteLSTMCell(2)", "tf.nn.rnn_cell.LSTMCell(2)"),
        same("with tf.variable_scope('s', initializer=constant):\n"
             "    y = NAME", "tf.nn.dynamic_rnn("
             "tf.lite.experimental.nn.TFLiteLSTMCell(2), tf.constant(cube), dtype=tf.float32)",
             "tf.nn.dynamic_rnn("
             "tf.nn.rnn_cell.LSTMCell(2), tf.constant(cube), dtype=tf.float32)"),
    ],
    "raw_ops.CompareAndBitpack": [
        Case("tf.raw_ops.CompareAndBitpack(input=tf.reshape(wide, [2, 16]), threshold=3.0)",
             "bits = tf.cast(tf.reshape(wide, [2, 16]) > 3.0, tf.uint8)\n"
             "weights = np.uint8([128, 64, 32, 16, 8, 4, 2, 1])\n"
             "y = tf.reduce_sum(tf.reshape(bits, [2, 2, 8]) * weights, -1)"),
    ],
    "tpu.experimental.AdagradParameters": [
        Case("p = tf.tpu.experimental.AdagradParameters(0.2)\n"
             "y = [p.learning_rate, p.initial_accumulator]",
             "p = tf.compat.v2.tpu.experimental.embedding.Adagrad(0.2)\n"
             "y = [p.learning_rate, p.initial_accumulator_value]"),
    ],
    "tpu.experimental.AdamParameters": [
        Case("p = tf.tpu.experimental.AdamParameters(0.2)\n"
             "y = [p.learning_rate, p.beta1, p.beta2, p.epsilon, p.lazy_adam,"
             " p.sum_inside_sqrt]",
             "p = tf.compat.v2.tpu.experimental.embedding.Adam(0.2, epsilon=1e-8)\n"
             "y = [p.learning_rate, p.beta_1, p.beta_2, p.epsilon, p.lazy_adam,"
             " p.sum_inside_sqrt]"),
    ],
    "tpu.experimental.StochasticGradientDescentParameters": [
        same("NAME(0.2).learning_rate", "tf.tpu.experimental.StochasticGradientDescentParameters",
             "tf.compat.v2.tpu.experimental.embedding.SGD"),
    ],
}  # fmt: skip

NEEDS_ESTIMATOR = {
    "estimator.inputs.*": [
        Case(
            _ARRAYS + "d, l = tf.estimator.inputs.numpy_input_fn("
            "{'x': a}, b, batch_size=2, shuffle=False)()\ny = drain([d['x'], l])",
            _ARRAYS + "one = tf.train.slice_input_producer([a, b], num_epochs=1, shuffle=False)\n"
            "y = drain(tf.train.batch(one, 2, allow_smaller_final_batch=True))",
        ),
        Case(
            _ARRAYS + "d, l = tf.estimator.inputs.numpy_input_fn("
            "{'x': a}, b, batch_size=5, shuffle=True, num_epochs=2)()\n"
            "y = np.sort(np.concatenate([s[0] for s in drain([d['x'], l])]))",
            _ARRAYS + "one = tf.train.slice_input_producer([a, b], num_epochs=2, shuffle=True)\n"
            "y = drain(tf.train.shuffle_batch("
            "one, 5, 9, 4, allow_smaller_final_batch=True))\n"
            "y = np.sort(np.concatenate([s[0] for s in y]))",
        ),
    ],
}

CONTRIB = {
    "autograph": [
        same("import sys, importlib.util\nwith open('grow.py', 'w') as file:\n"
             "    file.write('def f(n):\\n while n < 40:\\n  n = n * 3\\n return n\\n')\n"
             "spec = importlib.util.spec_from_file_location('grow', 'grow.py')\n"
             "grow = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(grow)\n"
             "y = NAME(grow.f)(tf.constant(2))",
             "tf.contrib.autograph.to_graph", "tf.autograph.to_graph"),
    ],
    "checkpoint": [
        same("v = tf.Variable([1.0, 2.0])\nw = tf.Variable([0.0, 0.0])\n"
             "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
             "    path = tf.train.Checkpoint(a=NAME([v])).save('c', session=sess)\n"
             "    tf.train.Checkpoint(a=NAME([w])).restore(path).run_restore_ops(sess)\n"
             "    y = sess.run(w)",
             "tf.contrib.checkpoint.List", "list"),
        same("NAME(tf.train.Checkpoint(v=tf.Variable(x)), 'c', max_to_keep=2).checkpoints",
             "tf.contrib.checkpoint.CheckpointManager", "tf.train.CheckpointManager"),
    ],
    "cluster_resolver": [
        same("NAME(tf.train.ClusterSpec({'ps': ['a:1']})).cluster_spec().as_dict()",
             "tf.contrib.cluster_resolver.SimpleClusterResolver",
             "tf.distribute.cluster_resolver.SimpleClusterResolver"),
    ],
    "data": [
        Case(_DATA + "y = read(data.apply(tf.contrib.data.batch_and_drop_remainder(3)))",
             _DATA + "y = read(data.batch(3, drop_remainder=True))"),
        same(_DATA + "y = read(data.apply(NAME(lambda n: n * n, 3)))",
             "tf.contrib.data.map_and_batch", "tf.data.experimental.map_and_batch"),
        same(_DATA + "y = read(data.apply(NAME(100, 2, seed=3)))",
             "tf.contrib.data.shuffle_and_repeat", "tf.data.experimental.shuffle_and_repeat",
             "another order"),
        same(_DATA + "y = sorted(read(data.apply(NAME(100, 2, seed=3))))",
             "tf.contrib.data.shuffle_and_repeat", "tf.data.experimental.shuffle_and_repeat"),
        same(_DATA + "y = read(data.map(lambda n: n // 2).apply(NAME()))",
             "tf.contrib.data.unique", "tf.data.experimental.unique"),
        Case(_DATA + "y = read(data.batch(2).apply(tf.contrib.data.unbatch()))",
             _DATA + "y = read(data.batch(2).unbatch())"),
        Case(_DATA + "y = read(data.apply("
             "tf.contrib.data.sliding_window_batch(3, window_shift=2)))",
             _DATA + "y = read(data.window(3, 2, drop_remainder=True)"
             ".flat_map(lambda part: part.batch(3)))"),
    ],
    "distribute": [
        same("NAME('/cpu:0').num_replicas_in_sync",
             "tf.contrib.distribute.OneDeviceStrategy", "tf.distribute.OneDeviceStrategy"),
    ],
    "distributions": [
        same(f"d = NAME\ny = [d.{what}]", f"tf.contrib.distributions.{made}",
             f"tf.distributions.{made}")
        for made, what in [
            ("Normal(1.0, 2.0)", "log_prob(x), d.entropy(), d.cdf(x)"),
            ("Bernoulli(logits=x)", "mean(), d.log_prob(tf.ones_like(x))"),
            ("Categorical(logits=x)", "entropy(), d.log_prob([0, 1, 2])"),
            ("Gamma(2.0, 3.0)", "log_prob([0.5, 2.0]), d.mean()"),
            ("Uniform(0.0, 3.0)", "prob([0.5, 4.0]), d.mean()"),
        ]
    ],
    "eager": [
        same("v = tf.constant(x)\nwith NAME() as tape:\n    tape.watch(v)\n    out = v ** 3\n"
             "y = tape.gradient(out, v)", "tf.contrib.eager.GradientTape", "tf.GradientTape"),
        same("NAME()", "tf.contrib.eager.executing_eagerly", "tf.executing_eagerly"),
    ],
    **{
        f"estimator.{name}": [
            same(code, f"tf.contrib.estimator.{name}", f"tf.estimator.experimental.{name}",
                 needs=needs)
        ]
        for name, needs, code in [
            ("build_raw_supervised_input_receiver_fn", "tensorflow_estimator",
             "made = NAME({'x': tf.constant(x)}, tf.constant([1, 2]))()\n"
             "y = [made.features['x'].shape.as_list(), made.labels.dtype.name]"),
            ("call_logit_fn", "tensorflow_estimator",
             "NAME(lambda features, mode: features['x'] * 2, {'x': tf.constant(x)},"
             " 'train', None, None)"),
            ("dnn_logit_fn_builder", "tf_keras", _logits(
                "[3], input_layer_partitioner=None, dropout=None, batch_norm=False,"
                " activation_fn=tf.nn.relu, ", ", mode='eval'")),
            ("linear_logit_fn_builder", "tf_keras", _logits()),
        ]
    },
    "estimator.add_metrics": [
        same("made = NAME(tf.estimator.Estimator(lambda features, labels, mode: None),"
             " lambda: {})\ny = type(made).__name__",
             "tf.contrib.estimator.add_metrics", "tf.estimator.add_metrics",
             needs="tensorflow_estimator"),
    ],
    "feature_column": [
        same("c = tf.feature_column.indicator_column(NAME('k', ['a', 'b']))\n"
             "y = [c.name, str(tf.feature_column.make_parse_example_spec([c])['k'].dtype.name)]",
             "tf.contrib.feature_column.sequence_categorical_column_with_vocabulary_list",
             "tf.feature_column.sequence_categorical_column_with_vocabulary_list"),
    ],
    "framework": [
        same(_SAVED + "y = NAME('model', 'v')",
             "tf.contrib.framework.load_variable", "tf.train.load_variable"),
        same("NAME(tf.constant([3, 1, 2]))", "tf.contrib.framework.sort", "tf.sort"),
        same("@NAME.add_arg_scope\ndef f(a, b=1):\n    return a * b\n"
             "with NAME.arg_scope([f], b=3):\n    y = f(x)",
             "tf.contrib.framework", "tf_slim", needs="tf_slim"),
    ],
    "framework.get_or_create_global_step": [
        same("step = NAME()\ny = [step.name, step.dtype.base_dtype.name, step]",
             "tf.contrib.framework.get_or_create_global_step",
             "tf.train.get_or_create_global_step"),
    ],
    "framework.list_variables": [
        same(_SAVED + "y = NAME('model')",
             "tf.contrib.framework.list_variables", "tf.train.list_variables"),
    ],
    "framework.nest": [
        same("NAME.flatten({'b': [1, (2, 3)], 'a': 0})",
             "tf.contrib.framework.nest", "tf.nest"),
        same("NAME.pack_sequence_as({'b': [1, (2, 3)], 'a': 0}, [9, 8, 7, 6])",
             "tf.contrib.framework.nest", "tf.nest"),
    ],
    "keras": [
        same("NAME(x)", "tf.contrib.keras.activations.elu", "tf.keras.activations.elu"),
        same("NAME([0, 2], 3)", "tf.contrib.keras.utils.to_categorical",
             "tf.keras.utils.to_categorical", needs="tf_keras"),
    ],
    "layers": [
        same("y = NAME", "tf.contrib.layers.fully_connected(-x, 2, weights_initializer=constant)",
             "tf.layers.dense(-x, 2, kernel_initializer=constant)", "ReLU"),
        same("y = NAME", "tf.contrib.layers.fully_connected(x, 2, weights_initializer=constant)",
             "tf_slim.fully_connected(x, 2, weights_initializer=constant)", needs="tf_slim"),
    ],
    "layers.bow_encoder": [
        Case(_SEQUENCE.replace("NAME", "y = tf.contrib.layers.bow_encoder(ids, 3, 2)"),
             _SEQUENCE.replace("NAME", f"{_TABLE}tf.nn.embedding_lookup_sparse("
                              "table, tf.sparse.from_dense(ids), None, combiner='mean')")),
    ],
    "layers.bucketized_column": column(
        "LAYERS.bucketized_column(LAYERS.real_valued_column('n', dimension=2), [2.0])",
        "COLUMNS.bucketized_column(COLUMNS.numeric_column('n', shape=(2,)), [2.0])"),
    "layers.create_feature_spec_for_parsing": _BY_KEYS,
    "layers.crossed_column": column(
        f"LAYERS.one_hot_column(LAYERS.crossed_column([{_KEYS}, {_INTS}], 50))",
        f"COLUMNS.indicator_column(COLUMNS.crossed_column([{_LIST}, {_IDENTITY}], 50))",
        "other buckets"),
    "layers.embed_sequence": [
        Case(_SEQUENCE.replace("NAME", "y = tf.contrib.layers.embed_sequence(ids, 3, 2)"),
             _SEQUENCE.replace("NAME", _TABLE + _LOOKED_UP)),
    ],
    "layers.embedding_column": column(
        f"LAYERS.embedding_column({_KEYS}, 3, initializer=constant)",
        f"COLUMNS.embedding_column({_LIST}, 3, initializer=constant)"),
    "layers.input_from_feature_columns": _BY_KEYS,
    "layers.one_hot_column": _BY_KEYS,
    "layers.parse_feature_columns_from_examples": [
        Case(_COLUMNS + "y = list(tf.contrib.layers.parse_feature_columns_from_examples(examples,"
             " [tf.contrib.layers.real_valued_column('n', dimension=2)]).values())[:1]",
             _COLUMNS + "columns = [tf.feature_column.numeric_column('n', shape=(2,))]\n"
             "spec = tf.feature_column.make_parse_example_spec(columns)\n"
             "parsed = tf.parse_example(examples, spec)\ny = [parsed['n']]"),
    ],
    "layers.real_valued_column": column(
        "LAYERS.real_valued_column('n', dimension=2)",
        "COLUMNS.numeric_column('n', shape=(2,))"),
    "layers.safe_embedding_lookup_sparse": [
        same(_SAFE, "tf.contrib.layers.safe_embedding_lookup_sparse",
             "tf.nn.safe_embedding_lookup_sparse"),
    ],
    "layers.shared_embedding_columns": column(
        f"LAYERS.shared_embedding_columns([{_KEYS}], 3, initializer=constant)",
        f"COLUMNS.shared_embedding_columns([{_LIST}], 3, initializer=constant)", many=True),
    "layers.sparse_column_with_hash_bucket": column(
        "LAYERS.one_hot_column(LAYERS.sparse_column_with_hash_bucket('k', 7))",
        "COLUMNS.indicator_column(COLUMNS.categorical_column_with_hash_bucket('k', 7))"),
    "layers.sparse_column_with_integerized_feature": column(
        f"LAYERS.one_hot_column({_INTS})", f"COLUMNS.indicator_column({_IDENTITY})"),
    "layers.sparse_column_with_keys": _BY_KEYS,
    "layers.sparse_column_with_vocabulary_file": column(
        "LAYERS.one_hot_column("
        "LAYERS.sparse_column_with_vocabulary_file('k', 'words', vocab_size=3))",
        "COLUMNS.indicator_column("
        "COLUMNS.categorical_column_with_vocabulary_file('k', 'words', 3))"),
    "layers.weighted_sparse_column": column(
        f"LAYERS.embedding_column(LAYERS.weighted_sparse_column({_KEYS}, 'w'), 3,"
        " initializer=constant, combiner='sum')",
        f"COLUMNS.embedding_column(COLUMNS.weighted_categorical_column({_LIST}, 'w'), 3,"
        " initializer=constant, combiner='sum')"),
    "layers.fully_connected": [
        same("y = NAME", "tf.contrib.layers.fully_connected(-x, 2, weights_initializer=constant)",
             "tf.layers.dense(-x, 2, activation=tf.nn.relu, kernel_initializer=constant)"),
        same("tf.set_random_seed(3)\ny = NAME", "tf.contrib.layers.fully_connected(x, 2,"
             " weights_initializer=tf.contrib.layers.xavier_initializer(seed=5))",
             "tf.layers.dense(x, 2, activation=tf.nn.relu,"
             " kernel_initializer=tf.glorot_uniform_initializer(seed=5))"),
    ],
    "layers.conv2d": [
        same("y = NAME", "tf.contrib.layers.conv2d(image / 9, 2, 3, weights_initializer=constant)",
             "tf.layers.conv2d(image / 9, 2, 3, padding='same', activation=tf.nn.relu,"
             " kernel_initializer=constant)"),
    ],
    "layers.max_pool2d": [
        same("y = NAME", "tf.contrib.layers.max_pool2d(image, 2)",
             "tf.layers.max_pooling2d(image, 2, strides=2)"),
    ],
    "layers.dropout": [
        same("tf.set_random_seed(3)\ny = NAME",
             "tf.contrib.layers.dropout(x, 0.8, seed=5)",
             "tf.nn.dropout(x, keep_prob=0.8, seed=5)"),
        same("tf.set_random_seed(3)\ny = NAME",
             "tf.contrib.layers.dropout(x, seed=5)",
             "tf.nn.dropout(x, keep_prob=0.5, seed=5)"),
    ],
    "layers.batch_norm": [
        Case(_norm("tf.contrib.layers.batch_norm(h)", shape),
             _norm("tf.layers.batch_normalization("
                   "h, momentum=0.999, scale=False, training=True)", shape), differs, "tf_keras")
        for shape, differs in [("(3, 2, 2, 4)", ""), ("(12, 4)", "divides by n")]
    ],
    "layers.flatten": [
        same("NAME(image)", "tf.contrib.layers.flatten", "tf.layers.flatten"),
    ],
    "layers.l1_regularizer": [
        Case("tf.contrib.layers.l1_regularizer(0.2)(tf.constant(x))",
             "(lambda w: 0.2 * tf.reduce_sum(tf.abs(w)))(tf.constant(x))"),
    ],
    "layers.l2_regularizer": [
        same("with tf.variable_scope('s', regularizer=NAME):\n"
             "    tf.get_variable('w', initializer=x)\ny = tf.losses.get_regularization_loss()",
             "tf.contrib.layers.l2_regularizer(0.2)", new, differs, needs)
        for new, differs, needs in [
            ("lambda w: 0.2 * tf.nn.l2_loss(w)", "", ""),
            ("tf_slim.l2_regularizer(0.2)", "", "tf_slim"),
            ("tf.keras.regularizers.l2(0.2 / 2)", "", "tf_keras"),
            ("tf.keras.regularizers.l2(0.2)", "does not halve", "tf_keras"),
        ]
    ],
    "layers.variance_scaling_initializer": [
        same("tf.set_random_seed(3)\ny = NAME([3, 3, 4, 8])",
             "tf.contrib.layers.variance_scaling_initializer(seed=5)",
             "tf.variance_scaling_initializer(2 * 1.0058637, seed=5)"),
        same("tf.set_random_seed(3)\ny = NAME([30, 8])",
             "tf.contrib.layers.variance_scaling_initializer(1.0, 'FAN_AVG', seed=5)",
             "tf.variance_scaling_initializer(1.0 * 1.0058637, 'fan_avg', seed=5)"),
        same("tf.set_random_seed(3)\ny = NAME([3, 3, 4, 8])",
             "tf.contrib.layers.variance_scaling_initializer(uniform=True, seed=5)",
             "tf.variance_scaling_initializer(2.0, distribution='uniform', seed=5)"),
    ],
    "layers.xavier_initializer": [
        same("tf.set_random_seed(3)\ny = NAME([30, 8])",
             "tf.contrib.layers.xavier_initializer(seed=5)",
             "tf.glorot_uniform_initializer(seed=5)"),
        same("tf.set_random_seed(3)\ny = NAME([30, 8])",
             "tf.contrib.layers.xavier_initializer(uniform=False, seed=5)",
             "tf.variance_scaling_initializer(1.0058637, 'fan_avg', seed=5)"),
    ],
    "layers.xavier_initializer_conv2d": [
        same("tf.set_random_seed(3)\ny = NAME([3, 3, 4, 8])",
             "tf.contrib.layers.xavier_initializer_conv2d(seed=5)",
             "tf.glorot_uniform_initializer(seed=5)"),
        same("tf.set_random_seed(3)\ny = NAME([3, 3, 4, 8])",
             "tf.contrib.layers.xavier_initializer_conv2d(uniform=False, seed=5)",
             "tf.variance_scaling_initializer(1.0058637, 'fan_avg', seed=5)"),
    ],
    "lookup": [
        Case("t = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer("
             "['a', 'b'], [3, 4]), -1)\ny = t.lookup(tf.constant(['b', 'z']))",
             "t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer("
             "['a', 'b'], [3, 4]), -1)\ny = t.lookup(tf.constant(['b', 'z']))"),
        Case("t = tf.contrib.lookup.index_table_from_tensor(tf.constant(['a', 'b']), 3)\n"
             "y = t.lookup(tf.constant(['b', 'x', 'y', 'z', 'zz']))",
             "t = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer("
             "['a', 'b'], tf.constant([0, 1], tf.int64)), 3)\n"
             "y = t.lookup(tf.constant(['b', 'x', 'y', 'z', 'zz']))"),
    ],
    "losses": [
        Case(f"tf.contrib.losses.{name}({first}, {second}{more})",
             f"tf.losses.{name}({second}, {first}{more})")
        for (first, second), name, more in [
            (_LOSS, "log_loss", ""), (_LOSS, "mean_squared_error", ", [[1.0], [0.5]]"),
            (_LOSS, "sigmoid_cross_entropy", ""), (_LOSS, "softmax_cross_entropy", ""),
            (_LOSS, "absolute_difference", ", 0.3"),
            ((_LOSS[0], "tf.constant([1, 0])"), "sparse_softmax_cross_entropy", ""),
        ]
    ] + [
        same(f"NAME({_LOSS[0]}, {_LOSS[1]})", "tf.contrib.losses.log_loss",
             "tf.losses.log_loss", "labels first"),
        Case(f"tf.contrib.losses.hinge_loss({_LOSS[0]}, {_LOSS[1]})",
             f"tf.losses.hinge_loss({_LOSS[1]}, {_LOSS[0]})", "not averaged"),
        Case(f"tf.contrib.losses.hinge_loss({_LOSS[0]}, {_LOSS[1]})",
             f"tf.losses.hinge_loss({_LOSS[1]}, {_LOSS[0]}, reduction='none')"),
        Case(f"tf.contrib.losses.mean_pairwise_squared_error({_THREE})",
             f"tf.losses.mean_pairwise_squared_error({_THREE})", "divided by n"),
        Case(f"tf.contrib.losses.mean_pairwise_squared_error({_THREE})",
             f"tf.losses.mean_pairwise_squared_error({_THREE}) * (3 - 1) / 3"),
    ],
    "metrics": [
        Case(f"update(tf.contrib.metrics.streaming_{name}({first}, {second}))",
             f"update(tf.metrics.{name}({second}, {first}))")
        for (first, second), name in [
            (("tf.constant([1, 0, 1])", "tf.constant([1, 1, 1])"), "accuracy"),
            (_LOSS, "mean_squared_error"), (_LOSS, "auc"),
            (("[1, 1, 1]", "[1, 0, 0]"), "precision"), (("[1, 1, 0]", "[1, 0, 1]"), "recall"),
        ]
    ] + [same(f"update(NAME({_LOSS[0]}, {_LOSS[1]}))", "tf.contrib.metrics.streaming_auc",
              "tf.metrics.auc", "labels first")],
    "mixed_precision": [
        Case("tf.contrib.mixed_precision.FixedLossScaleManager(128.0).get_loss_scale()",
             "tf.train.experimental.FixedLossScale(128.0)()"),
    ],
    "nn": [
        Case("tf.contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(x, x * 0 + 1)",
             "tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=x * 0 + 1)"),
        Case("tf.contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits(x, x * 0 + 1)",
             "tf.nn.softmax_cross_entropy_with_logits(logits=x, labels=x * 0 + 1)"),
        Case("tf.contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits("
             "x, [0, 1, 2])",
             "tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=[0, 1, 2])"),
        same("NAME(cube, tf.ones([2, 5, 5]), [2, 6, 5], 2)",
             "tf.contrib.nn.conv1d_transpose", "tf.nn.conv1d_transpose"),
    ],
    "opt": [
        same(_TRAINED.replace("OPTIMIZER", "NAME"),
             "tf.contrib.opt.LazyAdamOptimizer(0.1)", "tf.train.AdamOptimizer(0.1)"),
        same(_TRAINED.replace("OPTIMIZER", "NAME"),
             "tf.contrib.opt.MomentumWOptimizer(0.0, 0.1, 0.9)",
             "tf.train.MomentumOptimizer(0.1, 0.9)"),
    ],
    "rnn": [
        same(_CELL, f"tf.contrib.rnn.{cell}", f"tf.nn.rnn_cell.{cell}")
        for cell in ("BasicLSTMCell(2)", "LSTMCell(2, num_proj=3)", "GRUCell(2)",
                     "BasicRNNCell(2)")
    ] + [same(_RNN, "tf.contrib.rnn.static_rnn", "tf.nn.static_rnn")],
    "signal": [
        same("NAME(wide, 8, 4)", "tf.contrib.signal.frame", "tf.signal.frame"),
        same("NAME(wide, 8, 4)", "tf.contrib.signal.stft", "tf.signal.stft"),
        same("NAME(6, 9, 16, 1.0, 7.0)", "tf.contrib.signal.linear_to_mel_weight_matrix",
             "tf.signal.linear_to_mel_weight_matrix"),
        same("NAME(x)", "tf.contrib.signal.mfccs_from_log_mel_spectrograms",
             "tf.signal.mfccs_from_log_mel_spectrograms"),
    ],
    "slim": [
        same("NAME.conv2d(image / 9, 2, 3, weights_initializer=constant)",
             "tf.contrib.slim", "tf_slim", needs="tf_slim"),
    ],
    "stateless": [
        same("NAME([5], [3, 4])", f"tf.contrib.stateless.stateless_random_{old}",
             f"tf.random.stateless_{new}")
        for old, new in [("uniform", "uniform"), ("normal", "normal")]
    ] + [same("NAME([5], [3, 4])", "tf.contrib.stateless.stateless_truncated_normal",
              "tf.random.stateless_truncated_normal")],
    "training": [
        same(_SAVED + "y = list(NAME('model', timeout=0))",
             "tf.contrib.training.checkpoints_iterator", "tf.train.checkpoints_iterator"),
    ],
}  # fmt: skip
NEEDS_TF_KERAS = {
    "keras.*": [same("NAME(x)", "tf.keras.backend.sigmoid", "tf.keras.backend.sigmoid",
                     needs="tf_keras")],
    "layers.*": [
        same("y = NAME", "tf.layers.dense(x, 2, kernel_initializer=constant)",
             "tf.layers.dense(x, 2, kernel_initializer=constant)", needs="tf_keras"),
        Case(_norm("tf.layers.batch_normalization(h, training=True)", "(12, 4)"),
             _norm("tf.layers.batch_normalization(h, training=True)", "(12, 4)"),
             needs="tf_keras"),
    ],
    "nn.rnn_cell.*": [same(_CELL, "tf.nn.rnn_cell.GRUCell(2)", "tf.nn.rnn_cell.GRUCell(2)",
                           needs="tf_keras")],
}  # fmt: skip

_GRID = "np.arange(6.0).reshape(2, 3)"
_TYPES = {"bool": "bool", "int": "int", "float": "float", "complex": "complex", "long": "int",
          "object": "object", "str": "str", "unicode": "str", "float_": "np.float64",
          "complex_": "np.complex128", "string_": "np.bytes_",
          "unicode_": "np.str_"}  # fmt: skip
NUMPY: Dict[str, List[Case]] = {  # noqa: UP006 - as above
    f"np.{name}": [same("np.array([0, 3]).astype(NAME)", f"np.{name}", new)]
    for name, new in _TYPES.items()
}
NUMPY.update({
    f"np.{name}": [same(code, f"np.{name}", new)]
    for code, old_and_new in {
        "[NAME, -NAME]": {"Inf": "np.inf", "Infinity": "np.inf", "infty": "np.inf",
                          "NaN": "np.nan", "NAN": "np.nan", "PINF": "np.inf", "NINF": "-np.inf"},
        "[NAME(x > 1), NAME(x > 1, axis=0)]": {"alltrue": "np.all", "sometrue": "np.any"},
        f"[NAME({_GRID}), NAME({_GRID}, axis=1)]": {
            "cumproduct": "np.cumprod", "product": "np.prod", "trapz": "np.trapezoid"},
        "NAME(x, 1)": {"round_": "np.round"},
        "NAME([[1, 2], [3, 4]]) * 2": {"mat": "np.asmatrix"},
        "NAME([[1, 2], [3, 4]])": {"row_stack": "np.vstack"},
        "NAME('[1, (2.5, None)]')": {"safe_eval": "ast.literal_eval"},
        "NAME(int, object)": {"issubclass_": "issubclass"},
    }.items()
    for name, new in old_and_new.items()
})  # fmt: skip
NUMPY["np.issubclass_"].append(
    same("try:\n    y = NAME(3, int)\nexcept TypeError as e:\n    y = 'TypeError'",
         "np.issubclass_", "issubclass", "TypeError")
)  # fmt: skip
NUMPY.update({
    "np.asfarray": [
        Case(f"np.asfarray({a})", f"np.asarray({a}, dtype=float)") for a in ("[1, 2]", "x")
    ],
    "np.asscalar": [Case("np.asscalar(np.array([[3.5]]))", "np.array([[3.5]]).item()")],
    "np.byte_bounds": [
        same("low, high = NAME(x[:, 1:3])\ny = high - low",
             "np.byte_bounds", "np.lib.array_utils.byte_bounds"),
    ],
    "np.cast": [
        Case("np.cast[np.int32](x)", "np.asarray(x).astype(np.int32)"),
        # A copy even where nothing is to be converted.
        Case("z = np.cast[np.float32](x)\nz[0] = 9\ny = [x, z]",
             "z = np.asarray(x).astype(np.float32)\nz[0] = 9\ny = [x, z]"),
    ],
    "np.find_common_type": [
        Case("np.find_common_type([np.float32, np.int16], []).name",
             "np.result_type(np.float32, np.int16).name"),
        Case("np.find_common_type([np.float32], [np.int64]).name",
             "np.result_type(np.float32, np.int64).name", "scalar"),
        Case("np.find_common_type([np.float32], [np.int64]).name",
             "np.result_type(np.float32, 0).name"),
    ],
    "np.in1d": [
        Case(f"np.in1d({a}, [3, 5])", f"np.isin({a}, [3, 5]).ravel()")
        for a in ("[1, 3, 4]", _GRID)
    ],
    "np.msort": [Case("np.msort(x)", "np.sort(x, axis=0)")],
    "np.typeDict": [Case("np.typeDict['int16'](3.7)", "np.dtype('int16').type(3.7)")],
    "np.source": [
        Case("import io, textwrap\nout = io.StringIO()\nnp.source(textwrap.dedent, out)\n"
             "y = 'def dedent' in out.getvalue()",
             "import inspect, textwrap\ny = 'def dedent' in inspect.getsource(textwrap.dedent)"),
    ],
    "np.rank": [Case("x.ndim", "np.ndim(x)")],  # 1.18 had lost the name
    "x.tostring": [Case("x.tostring()", "x.tobytes()"),
                   Case("x.T.tostring()", "x.T.tobytes()")],
    "x.itemset": [
        Case("x.itemset(5, 9)\ny = x", "x.flat[5] = 9\ny = x"),
        Case("x.itemset((1, 2), 9)\ny = x", "x[1, 2] = 9\ny = x"),
        Case("x.itemset(1, 2, 9)\ny = x", "x[1, 2] = 9\ny = x"),
    ],
    "x.newbyteorder": [
        Case("x.newbyteorder()", "x.view(x.dtype.newbyteorder())"),
        Case("x.newbyteorder('>')", "x.view(x.dtype.newbyteorder('>'))"),
    ],
    "x.ptp": [Case("[x.ptp(), x.ptp(axis=1)]", "[np.ptp(x), np.ptp(x, axis=1)]")],
    "np.lib.pad": [same("NAME(x, 1, 'reflect')", "np.lib.pad", "np.pad")],
    "np.lib.unique": [same("NAME([3, 1, 3])", "np.lib.unique", "np.unique")],
    "np.fromstring(data, dtype)": [
        # The result can be written to.
        Case("y = np.fromstring(b'abcdefgh', np.int16)\ny[0] = 1",
             "y = np.frombuffer(b'abcdefgh', np.int16).copy()\ny[0] = 1"),
    ],
    "np.array(x, copy=False)": [
        Case("[np.array(x, copy=False) is x, np.array([1, 2], copy=False)]",
             "[np.asarray(x) is x, np.asarray([1, 2])]"),
        Case("type(np.array(np.asmatrix(x), copy=False)).__name__",
             "type(np.asarray(np.asmatrix(x))).__name__"),
    ],
    "np.load(file)": [
        Case("np.save('a.npy', np.array([1, 'b'], object))\ny = list(np.load('a.npy', None, True))",
             "np.save('a.npy', np.array([1, 'b'], object))\n"
             "y = list(np.load('a.npy', allow_pickle=True))"),
    ],
})  # fmt: skip

# Rows that say the same for two names.
NEEDS_ESTIMATOR["estimator.inputs"] = NEEDS_ESTIMATOR["estimator.inputs.*"]
for _row, _other in [("keras.experimental.load_from_saved_model",
                      "keras.experimental.export_saved_model"),
                     ("lite.experimental.nn", "lite.experimental.nn.*")]:  # fmt: skip
    NAMES[_row] = NAMES[_other]

TABLES = {"NAMES": NAMES, "CONTRIB": CONTRIB, "NEEDS_TF_KERAS": NEEDS_TF_KERAS,
          "NEEDS_ESTIMATOR": NEEDS_ESTIMATOR, "RENAMED": RENAMED, "NUMPY": NUMPY}  # fmt: skip
