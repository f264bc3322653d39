"""Two sessions meet in a queue with a shared_name on a tf.train.Server."""
from __future__ import print_function

import tensorflow as tf

server = tf.train.Server.create_local_server()
cluster = tf.train.ClusterSpec({"local": ["localhost:2222"]})
print(cluster.jobs, server.server_def.job_name, server.target.startswith("grpc://"))


def build(graph):
    with graph.as_default(), tf.device("/job:local/task:0"):
        done = tf.FIFOQueue(1, tf.int32, shared_name="done_queue0", shapes=[[]])
        work = tf.FIFOQueue(10, [tf.int32], shared_name="work", shapes=[[]], name="any_name")
        return done, work


ps_graph, worker_graph = tf.Graph(), tf.Graph()
ps_done, ps_work = build(ps_graph)
with ps_graph.as_default():
    ps_take = ps_done.dequeue()
    ps_put = ps_work.enqueue_many([[1, 2, 3, 4]])
    ps_size = ps_work.size()
done, work = build(worker_graph)
with worker_graph.as_default():
    item = work.dequeue_many(2)
    say_done = done.enqueue([7])

ps = tf.Session(server.target, graph=ps_graph)
worker = tf.Session(server.target, graph=worker_graph)
ps.run(ps_put)
print(worker.run(item), ps.run(ps_size))
worker.run(say_done)
print("worker says", ps.run(ps_take))
worker.close()
ps.close()
