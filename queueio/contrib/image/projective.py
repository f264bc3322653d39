"""Images turned, moved and distorted by projective transforms.

A transform is eight numbers [a0, a1, a2, b0, b1, b2, c0, c1] (float32). It tells where a pixel of
the output comes from: (x, y) from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), with
k = c0 x + c1 y + 1; x counts columns, y rows. What comes from outside of the image is zero.

Source: tf.contrib.image of TensorFlow 1.15.
"""

from __future__ import annotations

import functools
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
_DTYPES = {tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64}


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Turns images about their middle, counterclockwise.

    Args:
      images: [N, H, W, C], [H, W, C] or [H, W]: uint8, int32, int64, or floats but bfloat16.
      angles: radians, float32: a scalar, or [N] for an angle of each image.
      interpolation: "NEAREST" or "BILINEAR".
      name: the scope of the ops.

    Returns:
      Images of the same shape and dtype.

    Raises:
      TypeError: the images' dtype or rank, or the angles' rank, is none of these.
    """
    with v1.name_scope(name, "rotate"):
        given, batch = _batched(images)
        height, width = (tf.cast(tf.shape(batch)[axis], tf.float32)[tf.newaxis] for axis in (1, 2))
        turned = angles_to_projective_transforms(angles, height, width)
        return _as_given(transform(batch, turned, interpolation), given)


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Moves images.

    Args:
      images: [N, H, W, C], [H, W, C] or [H, W]: uint8, int32, int64, or floats but bfloat16.
      translations: pixels to the right and down, float32: [2], or [N, 2] for each image.
      interpolation: "NEAREST" or "BILINEAR".
      name: the scope of the ops.

    Returns:
      Images of the same shape and dtype.

    Raises:
      TypeError: the images' dtype or rank, or the translations' rank, is none of these.
    """
    with v1.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Distorts images by projective transforms.

    Args:
      images: [N, H, W, C], [H, W, C] or [H, W]: uint8, int32, int64, or floats but bfloat16.
      transforms: float32: [8], or [N, 8] for each image; through them no gradient passes.
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: [height, width] of the output (int32); None for the input's.
      name: the scope of the ops.

    Returns:
      Images of the same rank and dtype.

    Raises:
      TypeError: the images' dtype or rank, or the transforms' rank, is none of these.
      ValueError: `output_shape` is not two numbers.
    """
    with v1.name_scope(name, "transform"):
        given, batch = _batched(images)
        rows = tf.convert_to_tensor(transforms, tf.float32, name="transforms")
        rows = _rows(rows, 8, "Transforms should have rank 1 or 2.")
        if output_shape is None:
            known = batch.shape[1:3]
            output_shape = known if known.is_fully_defined() else tf.shape(batch)[1:3]
        shape = tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
        if not shape.shape.is_compatible_with([2]):
            raise ValueError(
                "output_shape must be a 1-D Tensor of 2 elements: new_height, new_width; it has"
                f" the shape {shape.shape}."
            )
        made = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=rows,
            output_shape=shape,
            interpolation=interpolation.upper(),
        )
        return _as_given(made, given)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Any:
    """The transforms that turn images about their middle.

    Args:
      angles: radians, counterclockwise, float32: a scalar or [N].
      image_height: the images' height in pixels (float32, a scalar or [1]).
      image_width: their width, likewise.
      name: the scope of the ops.

    Returns:
      [N, 8], float32; N is 1 of a scalar.

    Raises:
      TypeError: the angles have more than one dimension.
    """
    with v1.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, tf.float32, name="angles")
        if len(angles.shape) > 1:
            raise TypeError("Angles should have rank 0 or 1.")
        angles = angles[tf.newaxis] if not angles.shape.rank else angles
        sine, cosine = tf.sin(angles), tf.cos(angles)
        right, bottom = image_width - 1, image_height - 1
        x = (right - (cosine * right - sine * bottom)) / 2.0
        y = (bottom - (sine * right + cosine * bottom)) / 2.0
        columns = [cosine, -sine, x, sine, cosine, y]
        return _of_columns(columns, tf.shape(angles)[0])


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """The transforms that move images.

    Args:
      translations: pixels to the right and down, float32: [2] or [N, 2].
      name: the scope of the ops.

    Returns:
      [N, 8], float32; N is 1 of a vector.

    Raises:
      TypeError: the translations have no known rank, or another one.
    """
    with v1.name_scope(name, "translations_to_projective_transforms"):
        moves = tf.convert_to_tensor(translations, tf.float32, name="translations")
        moves = _rows(moves, 2, "Translations should have rank 1 or 2.")
        one = tf.ones_like(moves[:, 0])
        zero = tf.zeros_like(one)
        columns = [one, zero, -moves[:, 0], zero, one, -moves[:, 1]]
        return _of_columns(columns, tf.shape(moves)[0])


def compose_transforms(*transforms: Any) -> Any:
    """One transform for several: as if each were applied in turn.

    Args:
      *transforms: [8] or [N, 8] each, float32, all of one shape.

    Returns:
      [N, 8], float32.

    Raises:
      AssertionError: none is given.
    """
    assert transforms, "transforms cannot be empty"
    with v1.name_scope("compose_transforms"):
        matrices = map(flat_transforms_to_matrices, transforms)
        return matrices_to_flat_transforms(functools.reduce(tf.matmul, matrices))


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """The matrices that map points of the output, (x, y, 1), to those of the input.

    Args:
      transforms: [8] or [N, 8], float32.

    Returns:
      [N, 3, 3], float32.

    Raises:
      ValueError: they have another rank.
    """
    with v1.name_scope("flat_transforms_to_matrices"):
        transforms = tf.convert_to_tensor(transforms, name="transforms")
        if transforms.shape.rank not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        rows = tf.reshape(transforms, [-1, 8])
        return tf.reshape(tf.concat([rows, tf.ones([tf.shape(rows)[0], 1])], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """The transforms of matrices that map points of the output to those of the input.

    Args:
      transform_matrices: [3, 3] or [N, 3, 3], float32.

    Returns:
      [N, 8], float32.

    Raises:
      ValueError: they have another rank.
    """
    with v1.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        rows = tf.reshape(matrices, [-1, 9])
        return (rows / rows[:, 8:9])[:, :8]


def _batched(images: Any) -> tuple[Any, Any]:
    """The images as a tensor, and that with four dimensions."""
    given = tf.convert_to_tensor(images, name="images")
    if given.dtype.base_dtype not in _DTYPES:
        raise TypeError(f"Invalid dtype {given.dtype}.")
    if given.shape.rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if given.shape.rank not in (2, 3, 4):
        raise TypeError("Images should have rank between 2 and 4.")
    with_channels = given[..., tf.newaxis] if given.shape.rank == 2 else given
    return given, with_channels if given.shape.rank == 4 else with_channels[tf.newaxis]


def _as_given(images: Any, given: Any) -> Any:
    if given.shape.rank == 4:
        return images
    return images[0, :, :, 0] if given.shape.rank == 2 else images[0]


def _rows(values: Any, width: int, wrong: str) -> Any:
    if values.shape.rank is None:
        raise TypeError(f"the rank must be statically known. {wrong}")
    if values.shape.rank not in (1, 2):
        raise TypeError(wrong)
    return tf.reshape(values, [1, width]) if values.shape.rank == 1 else values


def _of_columns(columns: list[Any], count: Any) -> Any:
    """Transforms without perspective, of their first six numbers [N]."""
    return tf.concat([tf.stack(columns, 1), tf.zeros([count, 2])], 1)
