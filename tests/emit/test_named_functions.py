"""Public functions that leave many ops behind are written by their names, and only where certain.

The examples are compared with those of the queues to the last bit, random ones too: each seed
draws its numbers in the queues' order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import values

import queueio
from queueio import lift_meta_graph
from tests.lift.conftest import steps_of
from tests.turns import by_turns

from .conftest import Sources

v1 = tf.compat.v1
SAVED = Path(__file__).parent / "saved"
SIDE = 8
BEHAVIOURS = ("v1", "v2")


def picture(kind: Any = tf.float32, shape: Any = (SIDE, SIDE, 3)) -> Any:
    """An image that is another one for each example."""
    n = v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    image = (tf.reshape(tf.range(SIDE * SIDE * 3), [SIDE, SIDE, 3]) * 7 + n * 31) % 256
    size = SIDE + n // 9
    image = tf.cast(image[:size, :size] if None in shape else image, kind)
    return image


def batch(image: Any, shape: Any) -> Any:
    return v1.train.batch([tf.ensure_shape(image, shape)], 2)


def image(change: Callable[[Any], Any], kind: Any, size: Any, out: Any) -> Callable[[], Any]:
    return lambda: batch(change(picture(kind, size)), out)


KNOWN, UNKNOWN = (SIDE, SIDE, 3), (None, None, 3)
F, U = tf.float32, tf.uint8
im, old = tf.image, v1.image
# What a script calls, the result's shape, and what the source shall call.
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "flip": (lambda x: old.random_flip_left_right(x, seed=3), KNOWN,
             "tf.image.random_flip_left_right(image, seed=3)"),
    "flip_up": (lambda x: old.random_flip_up_down(x, 3), KNOWN,
                "tf.image.random_flip_up_down(image, seed=3)"),
    "brightness": (lambda x: old.random_brightness(x, 0.3, 3), KNOWN,
                   "tf.image.random_brightness(image, max_delta=0.3, seed=3)"),
    "contrast": (lambda x: old.random_contrast(x, 0.2, 1.8, 3), KNOWN,
                 "tf.image.random_contrast(image, lower=0.2, upper=1.8, seed=3)"),
    "saturation": (lambda x: old.random_saturation(x, 0.5, 1.5, 3), KNOWN,
                   "tf.image.random_saturation(image, lower=0.5, upper=1.5, seed=3)"),
    "hue": (lambda x: old.random_hue(x, 0.2, 3), KNOWN,
            "tf.image.random_hue(image, max_delta=0.2, seed=3)"),
    "random_crop": (lambda x: v1.random_crop(x, [4, 5, 3], 3), (4, 5, 3),
                    "tf.image.random_crop(image, [4, 5, 3], seed=3)"),
    "to_brightness": (lambda x: old.adjust_brightness(x, -0.1), KNOWN,
                      "tf.image.adjust_brightness(image, -0.1)"),
    "to_contrast": (lambda x: old.adjust_contrast(x, 0.5), KNOWN,
                    "tf.image.adjust_contrast(image, 0.5)"),
    "to_saturation": (lambda x: old.adjust_saturation(x, 0.5), KNOWN,
                      "tf.image.adjust_saturation(image, 0.5)"),
    "to_hue": (lambda x: old.adjust_hue(x, 0.1), KNOWN, "tf.image.adjust_hue(image, 0.1)"),
    "standard": (im.per_image_standardization, KNOWN, "tf.image.per_image_standardization(image)"),
    "gray": (im.rgb_to_grayscale, (SIDE, SIDE, 1), "tf.image.rgb_to_grayscale(image)"),
    "left_right": (im.flip_left_right, KNOWN, "tf.image.flip_left_right(image)"),
    "up_down": (im.flip_up_down, KNOWN, "tf.image.flip_up_down(image)"),
    "transpose": (old.transpose_image, KNOWN, "tf.image.transpose(image)"),
    "rot90": (lambda x: im.rot90(x, 3), KNOWN, "tf.image.rot90(image, 3)"),
    "area": (lambda x: old.resize_images(x, [3, 4], old.ResizeMethod.AREA), (3, 4, 3),
             'tf.image.resize(image, [3, 4], method="area")'),
    "bilinear": (lambda x: old.resize_images(x, [9, 4]), (9, 4, 3),
                 "tf.compat.v1.image.resize(image, [9, 4])"),
    "corners": (lambda x: old.resize_images(x, [9, 4], align_corners=True), (9, 4, 3),
                "tf.compat.v1.image.resize(image, [9, 4], align_corners=True)"),
    "nearest": (lambda x: old.resize_images(x, [9, 4], old.ResizeMethod.NEAREST_NEIGHBOR),
                (9, 4, 3), 'tf.compat.v1.image.resize(image, [9, 4], method="nearest")'),
    "crop_or_pad": (lambda x: old.resize_image_with_crop_or_pad(x, 4, 9), (4, 9, 3),
                    "tf.image.resize_with_crop_or_pad(image, 4, 9)"),
    "central_crop": (lambda x: im.central_crop(x, 0.5), (4, 4, 3),
                     "tf.image.central_crop(image, 0.5)"),
    "crop": (lambda x: im.crop_to_bounding_box(x, 1, 2, 4, 3), (4, 3, 3),
             "tf.image.crop_to_bounding_box(image, 1, 2, 4, 3)"),
    "pad": (lambda x: im.pad_to_bounding_box(x, 1, 2, 9, 11), (9, 11, 3),
            "tf.image.pad_to_bounding_box(image, 1, 2, 9, 11)"),
}  # fmt: skip
MORE: dict[str, tuple[Callable[[], Any], str]] = {
    "to_float": (image(lambda x: im.convert_image_dtype(x, F), U, UNKNOWN, KNOWN),
                 "tf.image.convert_image_dtype(image, tf.float32)"),
    "to_bytes": (image(lambda x: im.convert_image_dtype(x / 300, U, saturate=True), F, KNOWN,
                       KNOWN), "tf.uint8, saturate=True)"),
    "to_colour": (image(lambda x: im.grayscale_to_rgb(x[..., :1]), F, KNOWN, KNOWN),
                  "tf.image.grayscale_to_rgb(image[..., :1])"),
    "clipped": (image(lambda x: v1.clip_by_value(x, 20.0, 90.5), F, KNOWN, KNOWN),
                "tf.clip_by_value(image, 20.0, 90.5)"),
    "clipped below": (image(lambda x: v1.clip_by_value(x, 20.0, float("inf")), F, KNOWN, KNOWN),
                      'tf.clip_by_value(image, 20.0, float("inf"))'),
    "boxed": (image(lambda x: boxed(x, im), F, UNKNOWN, (5, 5, 3)),
              "tf.image.sample_distorted_bounding_box("),
    "boxed_by_two_seeds": (image(lambda x: boxed(x, old), F, UNKNOWN, (5, 5, 3)),
                           "tf.raw_ops.SampleDistortedBoundingBoxV2("),
    "in_a_scope": (image(lambda x: in_scopes(x), F, KNOWN, KNOWN),
                   "tf.image.random_contrast("),
    "in_a_cond": (image(lambda x: in_a_cond(x), F, KNOWN, KNOWN), "tf.image.flip_up_down(image)"),
}  # fmt: skip


def boxed(image: Any, module: Any) -> Any:
    begin, size, _ = module.sample_distorted_bounding_box(
        tf.shape(image), [[[0.1, 0.2, 0.9, 0.8]]], 3, min_object_covered=0.3, area_range=[0.2, 0.9]
    )
    return old.resize_images(tf.slice(image, begin, size), [5, 5])


def in_scopes(image: Any) -> Any:
    with v1.name_scope("resize"), v1.name_scope("random_crop"):
        return tf.image.random_contrast(image, 0.5, 0.75, seed=3)


def in_a_cond(image: Any) -> Any:
    bright = image[0, 0, 0] > 40
    return v1.cond(bright, lambda: tf.image.flip_up_down(image) + 1, lambda: image)


def builds(behaviour: str) -> dict[str, tuple[Callable[[], Any], str]]:
    """Each function on floats of known size in one behaviour, on bytes of any size in the other."""
    found = dict(MORE)
    for number, (name, (change, out, said)) in enumerate(FUNCTIONS.items()):
        if number % 2 == BEHAVIOURS.index(behaviour):
            found[name] = (image(change, F, KNOWN, out), said)
        else:
            found[f"{name}_of_any_size"] = (image(change, U, UNKNOWN, out), said)
    return dict(by_turns(found.items()))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """By behaviour, all as modules, run in one process; `queues` is what the queues gave."""
    return {each: made(each, tmp_path_factory.mktemp(f"named-{each}")) for each in BEHAVIOURS}


def made(behaviour: str, folder: Path) -> Any:
    found: Any = Sources(folder)
    found.queues = {}
    with found.behaviour(behaviour):
        for name, (build, _) in builds(behaviour).items():
            found.write(name, queueio.lift(build).to_source())
            found.queues[name] = [
                {key: values.plain(np.asarray(part)) for key, part in step.items()}
                for step in (values.flatten(tf, one) for one in steps_of(build, 20))
            ]
    return found.run()


@pytest.mark.parametrize(
    ("behaviour", "name"), [(each, name) for each in BEHAVIOURS for name in builds(each)]
)
def test_the_name_is_written_and_delivers_the_same(
    behaviour: str, name: str, sources: dict[str, Any]
) -> None:
    text, got = sources[behaviour].text(name), sources[behaviour].results[name]
    assert builds(behaviour)[name][1] in text, text
    assert got["end"] == "OutOfRangeError", f"{got['end']}\n{text}"
    assert got["steps"] == sources[behaviour].queues[name], text


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_the_sources_are_as_ruff_would_have_them(behaviour: str, sources: dict[str, Any]) -> None:
    assert sources[behaviour].ruff("format", "--check") == ""
    assert sources[behaviour].ruff("check") == ""


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_the_sources_have_types_that_mypy_accepts(behaviour: str, sources: dict[str, Any]) -> None:
    assert sources[behaviour].mypy() == ""


def text_of(change: Callable[[Any], Any], kind: Any = F) -> str:
    """The source's code, without its comments: those quote the lines of this file."""
    text = queueio.lift(lambda: v1.train.batch([change(picture(kind))], 2)).to_source().text
    return "\n".join(line for line in text.split("\n") if "# " not in line)


def standardized_otherwise(image: Any) -> Any:
    with v1.name_scope("per_image_standardization"):
        mean, variance = tf.nn.moments(image, [0, 1, 2])
        smallest = 2 / np.sqrt(SIDE * SIDE * 3)
        return (image - mean) / tf.maximum(tf.sqrt(variance), smallest)


def flipped_less_often(image: Any) -> Any:
    with v1.name_scope("random_flip_left_right"):
        seldom = tf.random.uniform([], 0, 1.0, seed=3) < 0.25
        return v1.cond(seldom, lambda: tf.reverse(image, [1]), lambda: image)


def flipped_the_other_way(image: Any) -> Any:
    with v1.name_scope("flip_left_right"):
        return tf.reverse(image, [0])


def brightened_to_one_side(image: Any) -> Any:
    with v1.name_scope("adjust_brightness"):
        return image + tf.random.uniform([], -0.25, 0.5, seed=3)


def scaled_otherwise(image: Any) -> Any:
    with v1.name_scope("convert_image"):
        return tf.cast(image, tf.float32) * (1 / 256)


def cropped_near_the_corner(image: Any) -> Any:
    with v1.name_scope("random_crop"):
        first = tf.random.uniform([3], 0, 2, tf.int32, seed=3) % ([SIDE, SIDE, 3] - tf.constant(4))
        return tf.slice(image, first, [4, 4, 1])


LOOK_ALIKES = {
    standardized_otherwise: "per_image_standardization",
    flipped_less_often: "random_flip_left_right",
    flipped_the_other_way: "flip_left_right",
    brightened_to_one_side: "random_brightness",
    scaled_otherwise: "convert_image_dtype",
    cropped_near_the_corner: "random_crop",
}


@pytest.mark.parametrize("change", LOOK_ALIKES, ids=lambda change: change.__name__)
def test_what_only_looks_like_a_function_is_not_called_by_its_name(change: Any) -> None:
    text = text_of(change)
    assert f"tf.image.{LOOK_ALIKES[change]}(" not in text


def test_a_random_number_that_is_used_again_is_drawn_once() -> None:
    def change(image: Any) -> Any:
        brighter = tf.image.random_brightness(image, 0.25, seed=3)
        return brighter * v1.get_default_graph().get_tensor_by_name("random_uniform:0")

    text = text_of(change)
    assert "random_brightness" not in text and text.count("tf.random.uniform(") == 1


def test_todays_resize_is_written_only_for_what_it_does_as_well() -> None:
    assert "tf.image.resize(image, [3, 3]" in text_of(lambda x: tf.image.resize(x, [3, 3], "area"))
    assert "tf.image.resize" not in text_of(lambda x: old.resize_images(x, [3, 3]))


def test_an_image_keeps_the_shape_that_the_user_promised() -> None:
    def change(contents: Any) -> Any:
        image = tf.io.decode_image(contents, expand_animations=False)
        image.set_shape([5, 5, 3])
        return tf.image.flip_up_down(image)

    def build() -> Any:
        return v1.train.batch([change(v1.train.string_input_producer(["x"], 1).dequeue())], 2)

    text = queueio.lift(build).to_source().text
    assert "tf.image.flip_up_down(tf.ensure_shape(image, [5, 5, 3]))" in text


@pytest.mark.long
def test_the_functions_of_a_graph_of_tf1_deliver_what_it_delivered(tmp_path: Path) -> None:
    """The graph was built, saved and run by TensorFlow 1.15.5 (saved/images.py)."""
    told = json.loads((SAVED / "images.json").read_text())
    module = lift_meta_graph(SAVED / "images.meta", told["fetches"]).to_source()
    for name in ("random_crop", "random_flip_left_right", "random_brightness", "central_crop",
                 "random_contrast", "per_image_standardization", "rot90", "pad_to_bounding_box",
                 "resize_with_crop_or_pad", "rgb_to_grayscale"):  # fmt: skip
        assert module.text.count(f"tf.image.{name}(") == 1, module.text
    sources = Sources(tmp_path)
    sources.write("images", module)
    got = sources.run().results["images"]["steps"]
    assert len(got) == len(told["steps"]) == 2
    for step, expected in zip(got, told["steps"], strict=True):
        np.testing.assert_array_equal(*(np.float32(x["plain"]) for x in (step, expected)))
        # Standardization sums up in another order than in 1.15.5.
        np.testing.assert_allclose(step["distorted"], expected["distorted"], atol=1e-5)


def test_the_fast_form_is_left_where_it_would_need_a_way_back() -> None:
    """On chunks a maximum is guarded: a chunk that has zeros to compare is done one by one."""

    def build() -> Any:
        record = v1.FixedLengthRecordReader(27).read(v1.train.string_input_producer(["x"]))[1]
        image = tf.cast(tf.reshape(tf.io.decode_raw(record, U), [3, 3, 3]), F)
        return v1.train.batch([tf.image.per_image_standardization(image)], 2)

    text = queueio.lift(build).to_source(style="fast").text
    assert "tf.image.per_image_standardization(image)" in text and "Assert" not in text


def test_the_fast_form_takes_names_that_no_op_could_have() -> None:
    """An op's name begins with a letter or digit of ASCII, a variable's with others too."""

    def build() -> Any:
        _key, zeile_ß = v1.TextLineReader().read(v1.train.string_input_producer(["x"]))
        größe, _ = v1.decode_csv(zeile_ß, [[0.0], [""]])
        return v1.train.batch([größe * 2.0, _key], 2)

    text = str(queueio.lift(build).to_source(style="fast"))
    assert "def parse_zeile_ß(key: tf.Tensor, zeile_ß: tf.Tensor)" in text
    assert text.index(".batch(") < text.index(".map(parse_zeile_ß")


def test_the_fast_form_is_left_for_contrasts_with_a_factor_of_each_examples_own() -> None:
    """On chunks it is done by other ops, which are right for finite values only."""

    def build() -> Any:
        record = v1.FixedLengthRecordReader(28).read(v1.train.string_input_producer(["x"]))[1]
        numbers = tf.cast(tf.reshape(tf.io.decode_raw(record, U), [28]), F)
        image = tf.reshape(numbers[1:], [3, 3, 3])
        return v1.train.batch([tf.image.adjust_contrast(image, numbers[0])], 2)

    text = queueio.lift(build).to_source(style="fast").text
    assert "tf.image.adjust_contrast(image, numbers[0])" in text
