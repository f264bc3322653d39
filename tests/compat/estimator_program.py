"""Run by test_estimator.py under `queueio run`: an Estimator whose input_fn is made of queues."""

import json
import sys

import tensorflow as tf

FILE = sys.argv[1]


def input_fn(epochs):
    def read():
        names = tf.train.string_input_producer([FILE], num_epochs=epochs)
        _, line = tf.TextLineReader().read(names)
        a, y = tf.decode_csv(line, [[0.0], [0.0]])
        a, y = tf.train.shuffle_batch([a, y], 32, 200, 50, allow_smaller_final_batch=True)
        return {"a": a}, y

    return read


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    found = w * features["a"]
    loss = tf.losses.mean_squared_error(labels, found)
    optimizer = tf.train.GradientDescentOptimizer(0.3)
    step = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    metrics = {"label": tf.metrics.mean(labels), "a": tf.metrics.mean(features["a"])}
    train = step if mode == tf.estimator.ModeKeys.TRAIN else None
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


tf.logging.set_verbosity(tf.logging.ERROR)
model = tf.estimator.Estimator(model_fn, model_dir="model")
model.train(input_fn(10))
told = {name: float(value) for name, value in model.evaluate(input_fn(1)).items()}
told["w"] = float(model.get_variable_value("w"))
try:
    tf.estimator.RunConfig(train_distribute=tf.distribute.MirroredStrategy())
except NotImplementedError as error:
    told["strategy"] = str(error)
print(json.dumps(told))
