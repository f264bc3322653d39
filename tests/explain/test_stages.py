"""What is told about a stage, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from xml.etree import ElementTree

import tensorflow as tf

import queueio
from queueio import Plan
from queueio.explain.account import Account, account
from queueio.explain.drawing import draw
from queueio.explain.flow import text
from queueio.explain.layout import place
from queueio.explain.stage import ToldStage, stages
from queueio.graph.origin import Origin
from queueio.lift.pipelines import pipelines
from queueio.plan import Node

v1 = tf.compat.v1


def stage(name: str, *inputs: ToldStage, capacity: int | None = None, line: str = "") -> ToldStage:
    return ToldStage(
        title="Stage",
        name=name,
        parameters=(),
        emits=("string ()",),
        origin=Origin("train.py", 1, line),
        capacity=capacity,
        min_after_dequeue=capacity or 0,
        inputs=inputs,
    )


def test_a_plan_explains_itself() -> None:
    def pipeline() -> object:
        numbers = v1.train.range_input_producer(5, num_epochs=2, shuffle=False)
        return v1.train.batch([numbers.dequeue() * 2], 3)

    text = queueio.lift(pipeline).explain()
    assert "batch_size=3" in text
    assert "Takes examples out of a queue" in text
    assert "dataset.batch(3, drop_remainder=True)" in text
    assert "tf.data.Dataset.range(5, output_type=tf.int32)" in text
    assert "test_stages.py" in text
    assert text.index("num_epochs=2") < text.index("batch_size=3"), "as the data flows"


@dataclass(frozen=True, kw_only=True, eq=False)
class Unheard(Node):
    """A node whose module has no lesson, and that has no source form."""

    input: Node
    size: int

    def to_source(self, writer: object, wanted: object) -> str:
        raise queueio.NotLifted("nobody has written this")


def test_a_stage_without_lesson_and_source_is_still_told() -> None:
    with tf.Graph().as_default():
        plan = queueio.lift([v1.train.range_input_producer(5).dequeue()])
        root = plan.root
    node = Unheard(name="odd", origin=root.origin, elements=root.elements, input=root, size=8)
    told = stages(Plan(node, (0,), plan.graph))
    assert (told.title, told.parameters, told.lessons) == ("Unheard", ("size=8",), ())
    assert "nobody has written this" in told.form
    assert told.inputs[0].form.startswith("nothing: what a queue decouples")


def test_whatever_a_line_of_code_holds_the_drawing_is_xml() -> None:
    line = 'tf.train.batch("<&]]>\x00\x1b[1m", \'' + "名前" * 60 + "\ud800')"
    root = ElementTree.fromstring(draw([Account("a<b", stage("x" * 200, line=line))]))
    assert "a<b" in "".join(root.itertext())


def test_a_drawing_has_a_name_for_those_who_hear_it() -> None:
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(draw([Account("a", stage("x")), Account("b", stage("y"))]))
    assert root.get("role") == "img"
    assert root.findtext(f"{svg}title") == "Queue pipelines, from file to batch: a, b"


def test_a_long_name_is_told_to_its_end() -> None:
    told = text(stage("scope/" * 40 + "fifo_queue"))
    assert "scope/" * 40 + "fifo_queue" in told.replace("\n", "")


def test_a_small_queue_is_drawn_with_as_many_slots_as_it_has() -> None:
    root = ElementTree.fromstring(draw([Account("small", stage("few", capacity=3))]))
    kinds = [rect.get("class") for rect in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert (kinds.count("slot"), kinds.count("kept")) == (0, 3)  # min_after_dequeue is 3 as well
    plain = replace(stage("few", capacity=3), min_after_dequeue=1)
    drawn = ElementTree.fromstring(draw([Account("small", plain)]))
    kinds = [rect.get("class") for rect in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    assert (kinds.count("slot"), kinds.count("kept")) == (2, 1)


def test_producers_side_by_side_do_not_overlap() -> None:
    readers = [stage(f"reader_{n}", stage(f"names_{n}", capacity=32)) for n in range(4)]
    last, right = place(stage("batch", stage("queue", *readers, capacity=100)), 10, 20)
    boxes = list(last.walk())
    for one in boxes:
        assert one.x >= 10 and one.x + one.width <= right and one.y >= 20
        for other in boxes:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            above = one.bottom <= other.y or other.bottom <= one.y
            assert one is other or apart or above


def told_of(build: Callable[[], tf.Tensor]) -> Account:
    with tf.Graph().as_default() as graph:
        build()
        return account(pipelines(graph)[-1])


def test_only_queues_have_slots() -> None:
    def pipeline() -> tf.Tensor:
        names = v1.train.string_input_producer(["a.txt"])
        return v1.train.batch([v1.TextLineReader().read(names)[1]], 3)

    told = list(told_of(pipeline).last.walk())
    assert [each.name for each in told if each.capacity is not None] == [
        "batch/fifo_queue",
        "input_producer",
    ]
    assert told[-1].title == "Source"


def test_a_queue_that_two_readers_share_is_one_queue() -> None:
    def pipeline() -> tf.Tensor:
        names = v1.train.string_input_producer(["a.txt", "b.txt"])
        return v1.train.batch([v1.TextLineReader().read(names)[1] for _ in range(2)], 3)

    told = told_of(pipeline)
    assert told.refusal is not None
    queues = [each for each in told.last.walk() if each.name == "input_producer"]
    assert [each.title for each in queues] == [
        "FIFOQueue (filename queue)",
        "FIFOQueue (filename queue) (the same again)",
    ]
    assert [each.capacity for each in queues] == [32, None], "one row of slots"
    assert [len(each.inputs) for each in queues] == [1, 0]


def test_a_loop_of_queues_is_told_as_one() -> None:
    def pipeline() -> tf.Tensor:
        ring = v1.FIFOQueue(10, [tf.int32], [[]], name="ring")
        taken = ring.dequeue()
        v1.train.add_queue_runner(v1.train.QueueRunner(ring, [ring.enqueue(taken + 1)]))
        return v1.train.batch([taken], 3)

    titles = [each.title for each in told_of(pipeline).last.walk()]
    assert titles[-1] == "QueueDequeue (the same as below)"


def test_queues_that_are_shared_over_and_over_are_told_once_each() -> None:
    def pipeline() -> tf.Tensor:
        taken = v1.train.range_input_producer(10).dequeue()
        for _ in range(16):
            queue = v1.FIFOQueue(10, [tf.int32], [[]])
            runner = v1.train.QueueRunner(queue, [queue.enqueue(taken)])
            v1.train.add_queue_runner(runner)
            taken = queue.dequeue() + queue.dequeue()
        return v1.train.batch([taken], 3)

    told = told_of(pipeline)
    assert len(list(told.last.walk())) < 100


def test_a_long_list_of_files_is_told_by_its_first_one_and_their_number() -> None:
    def pipeline() -> tf.Tensor:
        files = [f"part-{number}.csv" for number in range(777)]
        names = v1.train.string_input_producer(files, shuffle=False)
        return v1.train.batch([names.dequeue()], 2)

    *_, source = told_of(pipeline).last.walk()
    assert source.form.splitlines() == [
        'rows: "part-0.csv", … (777 in all)',
        "dataset = tf.data.Dataset.from_tensor_slices(rows)",
        "dataset = dataset.repeat(None)",
    ]
