"""`tf.contrib.image`: images turned, moved and distorted, by the op that TensorFlow still has."""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.image.projective import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)

__all__ = [
    "angles_to_projective_transforms",
    "compose_transforms",
    "flat_transforms_to_matrices",
    "matrices_to_flat_transforms",
    "rotate",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]

__getattr__ = names_of(__name__)
