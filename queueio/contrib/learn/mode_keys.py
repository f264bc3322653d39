"""`tf.contrib.learn.ModeKeys`: what an input function is asked for."""

from __future__ import annotations


class LearnModeKeys:
    """The three modes of contrib's Estimators; the values are TF 1.15's."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"
