"""Losses, metrics, layers, initialisers, penalties, images and sounds of tf.contrib, on draws.

Python 3.7 syntax: TensorFlow 1.15.5 runs these functions to record what they give. Each takes
`tf.contrib` with `tf`, and a drawing generator; a metric gives its value after several updates.
"""

from __future__ import annotations

from typing import Any, Callable  # noqa: UP035 - Python 3.7's

import numpy as np

CASES: dict[str, Callable[[Any, Any], Any]] = {}


def case(build: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    CASES[build.__name__] = build
    return build


def logits(draw: Any) -> Any:
    return draw.normal(size=(4, 3)).astype(np.float32)


def shares(draw: Any) -> Any:
    """Numbers between 0 and 1, no two alike."""
    return draw.uniform(0.05, 0.95, (4, 3)).astype(np.float32)


def bits(draw: Any) -> Any:
    return draw.randint(0, 2, (4, 3)).astype(np.float32)


def classes(draw: Any) -> Any:
    return draw.randint(0, 3, 4)


def image(draw: Any) -> Any:
    return draw.normal(size=(2, 4, 5, 2)).astype(np.float32)


def weight(draw: Any) -> Any:
    return draw.uniform(0.1, 2.0, (4,)).astype(np.float32)


def filled(tf: Any, draw: Any) -> Any:
    """An initialiser that draws outside of TensorFlow."""
    seed = draw.randint(1000)

    def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        sizes = [int(size) for size in shape]
        return tf.constant(np.random.RandomState(seed).normal(size=sizes).astype(np.float32))

    return initializer


def _loss(name: str, first: Any, second: Any, weighted: bool = False) -> None:
    def build(tf: Any, draw: Any) -> Any:
        loss = getattr(tf.contrib.losses, name)
        options = {"weights": tf.constant(draw.uniform(0.1, 2.0, (4, 1)).astype(np.float32))}
        return loss(
            tf.constant(first(draw)), tf.constant(second(draw)), **(options if weighted else {})
        )

    CASES["loss_" + name + ("_weighted" if weighted else "")] = build


for _weighted in (False, True):
    _loss("absolute_difference", logits, logits, _weighted)
    _loss("mean_squared_error", logits, logits, _weighted)
    _loss("log_loss", shares, bits, _weighted)
_loss("hinge_loss", logits, bits)
_loss("mean_pairwise_squared_error", logits, logits)
_loss("sigmoid_cross_entropy", logits, bits)


@case
def loss_softmax_smoothed(tf: Any, draw: Any) -> Any:
    labels = np.eye(3, dtype=np.float32)[classes(draw)]
    loss = tf.contrib.losses.softmax_cross_entropy
    return loss(tf.constant(logits(draw)), tf.constant(labels), weight(draw), label_smoothing=0.2)


@case
def loss_sigmoid_smoothed(tf: Any, draw: Any) -> Any:
    given = tf.constant(bits(draw))
    return tf.contrib.losses.sigmoid_cross_entropy(
        tf.constant(logits(draw)), given, label_smoothing=0.3
    )


@case
def loss_sparse_softmax(tf: Any, draw: Any) -> Any:
    labels = tf.constant(classes(draw))
    loss = tf.contrib.losses.sparse_softmax_cross_entropy
    return loss(tf.constant(logits(draw)), labels, weights=0.7)


@case
def loss_cosine_distance(tf: Any, draw: Any) -> Any:
    one, other = (
        v / np.linalg.norm(v, axis=1, keepdims=True) for v in (logits(draw), logits(draw))
    )
    return tf.contrib.losses.cosine_distance(tf.constant(one), tf.constant(other), dim=1)


@case
def loss_weighted(tf: Any, draw: Any) -> Any:
    return tf.contrib.losses.compute_weighted_loss(tf.constant(logits(draw)), weights=0.3)


@case
def loss_total(tf: Any, draw: Any) -> Any:
    tf.contrib.losses.absolute_difference(tf.constant(logits(draw)), tf.constant(logits(draw)))
    tf.contrib.losses.add_loss(tf.constant(2.5))
    return tf.contrib.losses.get_total_loss()


def _metric(name: str, first: Any, second: Any, **options: Any) -> None:
    def build(tf: Any, draw: Any) -> Any:
        found = tf.constant(np.stack([first(draw) for _ in range(3)]))
        given = tf.constant(np.stack([second(draw) for _ in range(3)]))
        step = tf.Variable(0, trainable=False)
        now = tf.assign_add(step, 1) - 1
        metric = getattr(tf.contrib.metrics, "streaming_" + name)
        return metric(found[now], given[now], **options)

    CASES["metric_" + name] = build


_metric("accuracy", classes, classes)
_metric("auc", shares, bits, num_thresholds=20)
_metric("covariance", logits, logits)
_metric("false_negatives", bits, bits)
_metric("false_positives", bits, bits)
_metric("mean_absolute_error", logits, logits)
_metric("mean_iou", classes, classes, num_classes=3)
_metric("mean_squared_error", logits, logits)
_metric("pearson_correlation", logits, logits)
_metric("precision", bits, bits)
_metric("recall", bits, bits)
_metric("root_mean_squared_error", logits, logits)
_metric("true_positives", bits, bits)


@case
def metric_mean(tf: Any, draw: Any) -> Any:
    return tf.contrib.metrics.streaming_mean(tf.constant(logits(draw)))


@case
def metric_percentage_less(tf: Any, draw: Any) -> Any:
    return tf.contrib.metrics.streaming_percentage_less(tf.constant(logits(draw)), 0.1)


@case
def metric_sparse_recall_at_k(tf: Any, draw: Any) -> Any:
    labels = tf.constant(classes(draw)[:, None].astype(np.int64))
    return tf.contrib.metrics.streaming_sparse_recall_at_k(tf.constant(logits(draw)), labels, 2)


@case
def metric_accuracy_of_a_batch(tf: Any, draw: Any) -> Any:
    given = tf.constant(classes(draw))
    return tf.contrib.metrics.accuracy(tf.constant(classes(draw)), given, weight(draw))


def _layer(name: str, **options: Any) -> None:
    def build(tf: Any, draw: Any) -> Any:
        layer = getattr(tf.contrib.layers, name)
        return layer(
            tf.constant(image(draw)), weights_initializer=filled(tf, draw),
            biases_initializer=filled(tf, draw), **options,
        )  # fmt: skip

    CASES["layer_" + name] = build


_layer("conv2d", num_outputs=2, kernel_size=3, stride=2, padding="VALID")
_layer("conv2d_transpose", num_outputs=2, kernel_size=3, stride=2)
_layer("fully_connected", num_outputs=2)
_layer("separable_conv2d", num_outputs=2, kernel_size=3, depth_multiplier=2)


def _plain(name: str, label: str = "", **options: Any) -> None:
    def build(tf: Any, draw: Any) -> Any:
        return getattr(tf.contrib.layers, name)(tf.constant(image(draw)), **options)

    CASES["layer_" + (label or name)] = build


_plain("avg_pool2d", kernel_size=[2, 3], stride=1)
_plain("batch_norm", "batch_norm_of_moving_averages", is_training=False)
_plain("batch_norm", "batch_norm_in_training", scale=True, epsilon=0.01)
_plain("dropout", "dropout_in_evaluation", keep_prob=0.3, is_training=False)
_plain("flatten")
_plain("layer_norm")
_plain("max_pool2d", kernel_size=2, padding="SAME")
_plain("softmax")
_plain("unit_norm", dim=3)


@case
def layer_flatten_of_unknown_shape(tf: Any, draw: Any) -> Any:
    unknown = tf.placeholder_with_default(image(draw), [None, None, 5, 2])
    return tf.contrib.layers.flatten(unknown)


@case
def layer_one_hot_encoding(tf: Any, draw: Any) -> Any:
    return tf.contrib.layers.one_hot_encoding(tf.constant(classes(draw)), 4, 0.9, -0.1)


def _initializer(label: str, name: str, *args: Any, shape: Any, **options: Any) -> None:
    def build(tf: Any, draw: Any) -> Any:
        made = getattr(tf.contrib.layers, name)(*args, seed=int(draw.randint(1000)), **options)
        return made(shape)

    CASES["initializer_" + label] = build


_initializer("xavier", "xavier_initializer", shape=[3, 4])
_initializer("xavier_normal", "xavier_initializer", uniform=False, shape=[2, 3, 3, 4])
_initializer("xavier_of_a_window", "xavier_initializer_conv2d", shape=[2, 3, 3, 4])
_initializer("of_variance", "variance_scaling_initializer", shape=[5])
_initializer("of_variance_out", "variance_scaling_initializer", 1.5, "FAN_OUT", shape=[3, 4])
_initializer(
    "of_variance_uniform", "variance_scaling_initializer", mode="FAN_AVG", uniform=True,
    shape=[2, 2, 3],
)  # fmt: skip


def _penalty(name: str, *args: Any) -> None:
    def build(tf: Any, draw: Any) -> Any:
        return getattr(tf.contrib.layers, name)(*args)(tf.constant(logits(draw)))

    CASES["penalty_" + name] = build


_penalty("l1_regularizer", 0.3)
_penalty("l2_regularizer", 0.3)
_penalty("l1_l2_regularizer", 0.3, 0.4)


@case
def penalty_of_several(tf: Any, draw: Any) -> Any:
    layers = tf.contrib.layers
    summed = layers.sum_regularizer([layers.l1_regularizer(0.2), None, layers.l2_regularizer(0.1)])
    weights = [tf.constant(logits(draw)), tf.constant(weight(draw))]
    return layers.apply_regularization(summed, weights)


def pictures(draw: Any, dtype: str) -> Any:
    return (draw.uniform(0, 255, (3, 4, 5, 1))).astype(dtype)


def _image(label: str, build: Callable[[Any, Any], Any]) -> None:
    CASES["image_" + label] = build


def _turned(dtype: str, how: str, each: Any = None) -> Callable[[Any, Any], Any]:
    """All images by one angle each; or one of them, or one channel of it, by one angle."""

    def build(tf: Any, draw: Any) -> Any:
        given = pictures(draw, dtype)
        angles = draw.uniform(-4, 4, 3).astype(np.float32)
        if each is None:
            return tf.contrib.image.rotate(tf.constant(given), tf.constant(angles), how)
        one = tf.placeholder_with_default(given[each], [None] * given[each].ndim)
        return tf.contrib.image.rotate(one, float(angles[0]), how)

    return build


for _dtype in ("uint8", "int32", "float32", "float64"):
    for _how in ("NEAREST", "BILINEAR"):
        _image("rotate_" + _dtype + "_" + _how.lower(), _turned(_dtype, _how))
_image("rotate_one", _turned("uint8", "bilinear", 0))
_image("rotate_a_channel", _turned("float32", "NEAREST", (0, slice(None), slice(None), 0)))


@case
def image_translate_each(tf: Any, draw: Any) -> Any:
    moves = tf.constant(draw.uniform(-4, 4, (3, 2)).astype(np.float32))
    return tf.contrib.image.translate(tf.constant(pictures(draw, "float32")), moves, "BILINEAR")


@case
def image_translate_one(tf: Any, draw: Any) -> Any:
    return tf.contrib.image.translate(tf.constant(pictures(draw, "uint8")[1]), [1, -2])


@case
def image_transform_of_a_size(tf: Any, draw: Any) -> Any:
    image = tf.contrib.image
    rows = image.angles_to_projective_transforms(draw.uniform(-1, 1, 3), 4.0, 5.0)
    bent = rows + np.array([0, 0.1, 0, 0.05, 0, 0, 0.01, -0.02], np.float32)
    pixels = tf.constant(pictures(draw, "float32"))
    return image.transform(pixels, bent, "BILINEAR", output_shape=[3, 6])


@case
def image_transform_of_several(tf: Any, draw: Any) -> Any:
    image = tf.contrib.image
    moved = image.translations_to_projective_transforms(draw.uniform(-2, 2, (3, 2)))
    turned = image.angles_to_projective_transforms(draw.uniform(-1, 1, 3), 4.0, 5.0)
    composed = image.compose_transforms(moved, turned, moved)
    matrices = image.flat_transforms_to_matrices(composed)
    return image.matrices_to_flat_transforms(tf.matrix_inverse(matrices))


def sound(draw: Any) -> Any:
    return draw.normal(size=(2, 80)).astype(np.float32)


@case
def signal_spectrum(tf: Any, draw: Any) -> Any:
    return tf.abs(tf.contrib.signal.stft(tf.constant(sound(draw)), 16, 8, pad_end=True))


@case
def signal_there_and_back(tf: Any, draw: Any) -> Any:
    signal = tf.contrib.signal
    window = signal.inverse_stft_window_fn(8)
    return signal.inverse_stft(signal.stft(tf.constant(sound(draw)), 16, 8), 16, 8, None, window)


@case
def signal_coefficients(tf: Any, draw: Any) -> Any:
    signal = tf.contrib.signal
    mel = signal.linear_to_mel_weight_matrix(8, 17, 8000, 80.0, 3000.0)
    power = tf.abs(signal.stft(tf.constant(sound(draw)), 32, 16, window_fn=signal.hamming_window))
    return signal.mfccs_from_log_mel_spectrograms(tf.log(tf.tensordot(power, mel, 1) + 1e-3))[:, :4]


@case
def signal_frames(tf: Any, draw: Any) -> Any:
    frames = tf.contrib.signal.frame(tf.constant(sound(draw)), 7, 5, pad_end=True, pad_value=0.5)
    return tf.contrib.signal.overlap_and_add(frames * tf.contrib.signal.hann_window(7), 5)


def short(value: Any) -> Any:
    """Lists of numbers, each with as few digits as tell it apart."""
    if isinstance(value, np.ndarray) and value.ndim:
        return [short(each) for each in value]
    return float(str(value))


def numbers(tf: Any, name: str, seed: int) -> dict[str, Any]:
    """What a case gives, as lists: a tensor, or a metric's value before and after its updates."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(seed)
        made = CASES[name](tf, np.random.RandomState(seed))
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        if not isinstance(made, tuple):
            return {"value": short(session.run(made))}
        value, update = made
        updates = [short(session.run(update)) for _ in range(3)]
        return {"updates": updates, "value": short(session.run(value))}
