"""`tf.contrib.signal`: frames, windows and spectra of sounds, by TensorFlow's own functions."""

from __future__ import annotations

from queueio.contrib import names_of

__getattr__ = names_of(__name__)
