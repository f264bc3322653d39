"""A Supervisor starts the runners; the loop starts them again, as many scripts do."""
from __future__ import print_function

import tempfile

import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("steps", 4, "Steps to run.")
tf.app.flags.DEFINE_string("train_dir", "", "Where to keep checkpoints.")


def main(_):
    train_dir = FLAGS.train_dir or tempfile.mkdtemp()
    numbers = tf.train.range_input_producer(10, shuffle=True, seed=1)
    batch = tf.train.batch([numbers.dequeue()], batch_size=5)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    total = tf.Variable(0, name="total", trainable=False)
    train_op = tf.group(tf.assign_add(total, tf.reduce_sum(batch)),
                        tf.assign_add(global_step, 1))
    sv = tf.train.Supervisor(logdir=train_dir, global_step=global_step, save_summaries_secs=0,
                             save_model_secs=0,
                             local_init_op=tf.local_variables_initializer())
    with sv.managed_session() as sess:
        started = tf.train.start_queue_runners(sess=sess, coord=sv.coord)
        print("started again:", len(started))
        while not sv.should_stop():
            try:
                sess.run(train_op)
            except tf.errors.OutOfRangeError:
                break
            if sess.run(global_step) == FLAGS.steps:
                break
        print("steps", sess.run(global_step), "total", sess.run(total))
        sv.saver.save(sess, train_dir + "/model", global_step=global_step)
    print("stopped:", sv.should_stop(), tf.train.latest_checkpoint(train_dir).endswith("model-4"))


if __name__ == "__main__":
    tf.app.run()
