"""What is drawn anew in each run is compared by its distribution, all else as always."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from click.testing import CliRunner

import queueio.compare as comparing
from queueio.compare.command import compare as command
from queueio.compare.draws.tally import Tally
from queueio.compare.draws.tally import tested as compared_figures
from queueio.compare.reading.seen import KEPT, Seen
from queueio.compare.sides.graph_side import BuiltSide, GraphSide
from tests.compare.memory import Memory

pytest.importorskip("scipy", reason="comparing distributions needs scipy")

COUNT = 300
RNG = np.random.default_rng(0)
IMAGE = (RNG.random((COUNT, 6, 6, 3)) * [1, 0.7, 0.5] * RNG.random((COUNT, 1, 1, 1))).astype("f4")
IMAGE[:, :3] *= 1.4
LABEL = (IMAGE.mean((1, 2, 3)) * 20).astype(np.int64)


def augmented(
    change: Callable[[Any], Any] | None = None,
    label: Any = LABEL,
    draw: bool = True,
    turned_first: bool = True,
) -> Any:
    """A pipeline of numbered images that are flipped at random and made brighter at random."""

    def augment(number: Any, image: Any, label: Any) -> Any:
        if draw:
            image = tf.image.random_flip_left_right(image) if turned_first else image
            image = tf.image.random_brightness(image, 0.02)
            image = image if turned_first else tf.image.random_flip_left_right(image)
        return number, change(image) if change else image, label

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices((np.arange(COUNT), IMAGE, label))
        return made.shuffle(100).map(augment).batch(50)

    return make


def twice(image: Any) -> Any:
    return image * 1.02


def more(image: Any) -> Any:
    return image + 0.014 if image.shape.rank else image


def standardized(image: Any) -> Any:
    return image / 255 - 0.5


def turned(image: Any) -> Any:
    return image[::-1]


def bgr(image: Any) -> Any:
    return image[..., ::-1]


def one_channel(image: Any) -> Any:
    return image * [1.0, 1.0, 1.04]


@pytest.mark.long
def test_equal_augmentation_is_equal_and_says_how_sure_it_is() -> None:
    result = comparing(augmented(), augmented(turned_first=False), cost=False)
    assert result.ok and result.level == "identical but for what is drawn", str(result)
    assert "the same 300 examples" in result.verdict
    assert "where a difference of 0.0" in str(result)


FAULTS = {
    "a factor of 1.02": (twice, "from another distribution: "),
    "an offset of 0.01 of the range": (more, "from another distribution: "),
    "a scale": (standardized, "old × 0.0039"),
    "channels": (bgr, "its channels are in reverse order"),
    "upside down": (turned, "it is flipped top to bottom"),
    "one channel only": (one_channel, "channel 2"),  # chance decides which of two sentences
}


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_another_distribution_is_found_though_random_values_are_ignored(name: str) -> None:
    change, said = FAULTS[name]
    result = comparing(augmented(), augmented(change), cost=False, ignore=["random"])
    assert [f.code for f in result.findings] == ["distribution"], str(result)
    assert said in result.verdict and result.level == "different"


@pytest.mark.long
def test_what_is_not_drawn_is_compared_as_always() -> None:
    label = LABEL.copy()
    label[7] += 1
    result = comparing(augmented(), augmented(label=label), cost=False)
    assert [f.code for f in result.findings] == ["changed", "random"], str(result)


@pytest.mark.long
def test_augmentation_on_one_side_is_named_and_ignoring_that_hides_no_other_values() -> None:
    plain = augmented(draw=False)
    result = comparing(plain, augmented(), cost=False)
    assert [f.code for f in result.findings] == ["random"] and not result.ok
    result = comparing(plain, augmented(bgr), cost=False, ignore=["random"])
    assert [f.code for f in result.findings] == ["distribution"], str(result)


@pytest.mark.long
def test_too_few_examples_are_not_compared_and_that_is_no_success(tmp_path: Any) -> None:
    text = """
import numpy as np
import tensorflow as tf

def inputs():  # NumPy's draws cannot be fixed
    made = tf.data.Dataset.range(5)
    return made.map(lambda n: tf.numpy_function(np.random.normal, [n], tf.float64)).batch(5)
"""
    (tmp_path / "script.py").write_text(text)
    side = f"{tmp_path}/script.py:inputs"
    result = comparing(side, side, cost=False, draw_seconds=1, ignore=["random"])
    assert not result.ok and result.level == "not compared"
    assert result.verdict.startswith("Not compared: ")
    got = CliRunner().invoke(command, [side, side, "--ignore", "random", "--no-cost"])
    assert got.exit_code == 2, got.output


def shuffled_apart(label: Any = LABEL) -> Any:
    def make() -> tf.data.Dataset:
        parts = [tf.data.Dataset.from_tensor_slices(part).shuffle(COUNT) for part in (IMAGE, label)]
        return tf.data.Dataset.zip(tuple(parts)).batch(50)

    return make


def test_labels_shuffled_apart_from_their_images_are_torn_pairs_not_augmentation() -> None:
    def together() -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices((IMAGE, LABEL)).shuffle(COUNT).batch(50)

    result = comparing(together, shuffled_apart(), cost=False)
    assert [f.code for f in result.findings] == ["torn"], str(result)
    assert "The pairs are torn" in result.verdict


def test_a_sample_of_what_was_seen_knows_it_again_however_much_it_was() -> None:
    lanes = np.random.default_rng(1).integers(0, 2**63, 8 * KEPT).astype(np.uint64) * np.uint64(2)
    seen = Seen()
    for part in np.array_split(lanes, 50):
        seen.add(part)
    assert seen.unseen(lanes[::3])[0] == 0
    unseen, judged = seen.unseen(lanes + np.uint64(1))
    assert unseen == judged > KEPT // 4


def test_runs_that_are_to_be_judged_draw_anew_though_seeds_are_set() -> None:
    """Else the more runs there are, the surer a difference would seem that one draw made."""

    def seeded() -> Any:
        number = tf.compat.v1.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
        drawn = tf.random.uniform([], seed=3)
        return tf.compat.v1.train.batch([number, drawn], 10)

    with tf.Graph().as_default() as graph:
        side = BuiltSide("seeded", seeded())
        runs = [_second_components(side, same) for same in (False, True, True, False)]
        (op,) = (op for op in graph.get_operations() if op.type == "RandomUniform")
        assert op.get_attr("seed2") == 3
    assert runs[0] == runs[3] and len({tuple(run) for run in runs}) == 3


def test_runs_that_are_to_be_judged_draw_anew_in_functions_too() -> None:
    def seeded() -> Any:
        made = tf.data.Dataset.range(20)
        return made.map(lambda n: (n, tf.random.uniform([], seed=3))).batch(10)

    side = GraphSide("seeded", seeded, None)
    runs = [_second_components(side, same) for same in (False, True, True, False)]
    assert runs[0] == runs[3] and len({tuple(run) for run in runs}) == 3


@pytest.mark.parametrize("repeats", [(True, False), (False, True), (True, True)], ids=str)
def test_runs_that_all_have_the_same_draws_count_as_one(repeats: tuple[bool, bool]) -> None:
    """Else chance in these draws would seem a difference, the surer the more runs there are."""
    rng, different, unlike = np.random.default_rng(5), 0, 0
    for _ in range(30):
        test = compared_figures(*(_runs(rng, same) for same in repeats), looks=1)
        different += bool(test and test.surprising.any())
        unlike += not test or test.repeated != repeats
    assert not different
    assert unlike <= 3


@pytest.mark.parametrize("sizes", [(24, 24), (1, 24)], ids=str)
def test_draws_that_a_batch_has_in_common_count_as_one(sizes: tuple[int, int]) -> None:
    """Else equal sides seemed different in every tenth case: a batch's examples are no sample."""
    rng, different = np.random.default_rng(7), 0
    for _ in range(60):
        test = compared_figures(*(_batches(rng, size) for size in sizes), looks=1)
        different += bool(test and test.surprising.any())
    assert not different


def test_a_difference_between_draws_that_a_batch_has_in_common_is_found() -> None:
    rng = np.random.default_rng(8)
    test = compared_figures(_batches(rng, 24), _batches(rng, 24, 0.3), looks=1)
    assert test is not None and test.surprising.all()


def _batches(rng: Any, size: int, more: float = 0) -> Tally:
    """32 runs of 240 examples in another order each time; one draw for each batch of `size`."""
    tally = Tally()
    for _ in range(32):
        drawn = np.repeat(rng.random(240 // size), size) + more
        tally.add(rng.permutation(240) % 16, drawn[:, None, None])
        tally.close(16)
    return tally


def test_a_side_that_leaves_alone_what_the_other_one_draws_is_not_said_to_have_a_seed() -> None:
    """A flip to the left or right moves no mean and no balance of above and below."""
    rng, tallies = np.random.default_rng(6), (Tally(), Tally())
    for _ in range(64):
        for moves, tally in enumerate(tallies, 1):
            figures = np.zeros((400, 1, 4))
            figures[:, 0, moves] = rng.random(400)
            tally.add(np.arange(400) % 16, figures)
            tally.close(16)
    test = compared_figures(*tallies, looks=1)
    assert test is not None and test.repeated == (False, False)


def _runs(rng: Any, same: bool) -> Tally:
    """64 runs of 400 draws each, which fall to other examples each time; ten are left out."""
    tally, drawn = Tally(), rng.random(400)
    for _ in range(64):
        drawn = rng.permutation(drawn) if same else rng.random(400)
        tally.add(rng.integers(0, 16, 390), drawn[:390, None, None])
        tally.close(16)
    return tally


@pytest.mark.long
def test_one_set_of_draws_on_each_side_makes_no_other_distribution() -> None:
    """They are arrays here, so that no seed can be changed, and fall to shuffled examples."""

    def drawn(seed: int) -> Any:
        def make() -> tf.data.Dataset:
            numbers = tf.data.Dataset.range(400).shuffle(400)
            drawn = np.random.RandomState(seed).rand(400).astype("f4")
            both = tf.data.Dataset.zip((numbers, tf.data.Dataset.from_tensor_slices(drawn)))
            return both.map(lambda n, d: tf.cast(n, tf.float32) / 400 + d).batch(50)

        return make

    for seed in range(0, 16, 2):
        result = comparing(drawn(seed), drawn(seed + 1), cost=False, draw_seconds=3)
        assert result.level != "different", str(result)


def _second_components(side: Any, same: bool) -> list[float]:
    with side.open(same=same) as stream:
        return [x for batch in stream.batches() for x in batch.values[1].tolist()]


def test_that_a_pair_is_torn_is_said_once() -> None:
    from queueio.compare.draws.judgement import Judgement
    from queueio.compare.findings import drawn
    from queueio.compare.findings.case import Case

    case = Case.__new__(Case)
    case.judgements = [Judgement(1, "differs", "beside others", torn=True)]
    case.apart = {1, 2}
    assert drawn.judged(case) == []


def noisy(deviation: float, told: bool = True, count: int = 60, lacking: int = 0) -> Any:
    """Images far apart from one another, with noise that is small beside that."""
    numbers = np.arange(lacking, count)
    images = np.random.default_rng(2).random((count, 4, 4, 3)).astype("f4")[lacking:] * 255

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices((numbers, images))
        made = made.map(lambda n, x: (n, x + tf.random.normal([4, 4, 3]) * deviation))
        made = made.shuffle(count).batch(10)
        return made if told else made.map(lambda n, x: x)

    return make


def judged(old: Any, new: Any) -> Any:
    """Compares, and does so again where the draws of one time, by chance, tell too little."""
    for _ in range(3):
        result = comparing(old, new, cost=False, order=False)
        if [finding.code for finding in result.findings] != ["not-compared"]:
            break
    return result


def drawn_by_a_queue(deviation: float) -> Any:
    """The same, by ops that draw in another order, so that the draws cannot be compared."""
    images = np.random.default_rng(2).random((60, 4, 4, 3)).astype("f4") * 255

    def make() -> Any:
        train = tf.compat.v1.train
        number, image = train.slice_input_producer([np.arange(60), images], num_epochs=1)
        image += tf.random.normal([4, 4, 3]) * deviation
        return train.shuffle_batch([number, image], 10, 60, 20)

    return make


@pytest.mark.long
@pytest.mark.parametrize("told", [True, False], ids=["numbered", "images alone"])
@pytest.mark.parametrize("other", [1.0, 10.0])
def test_other_noise_is_found_though_examples_lie_much_farther_apart(
    told: bool, other: float
) -> None:
    result = judged(noisy(5.0, told), noisy(other, told))
    assert [f.code for f in result.findings] == ["distribution"], str(result)
    equal = judged(noisy(5.0, told), noisy(-5.0, told))
    assert equal.ok and "in how far the draws of one example lie apart" in str(equal), str(equal)


@pytest.mark.long
def test_a_narrower_draw_of_the_same_mean_is_found_in_a_queue_pipeline() -> None:
    result = comparing(drawn_by_a_queue(5.0), noisy(3.0), cost=False, order=False)
    assert result.findings[0].code == "distribution", str(result)


@pytest.mark.long
def test_one_draw_for_all_channels_is_not_one_draw_for_each() -> None:
    """Each channel alone is drawn alike; a vector's entries are channels, too."""

    def noise(channels: int) -> Any:
        def add(rng: np.random.Generator, columns: Any) -> Any:
            drawn = rng.normal(size=(200, channels)).astype("f4")
            return {**columns, "x": columns["x"] + drawn}

        return add

    data = {"id": np.arange(200), "x": np.random.default_rng(2).normal(size=(200, 4)).astype("f4")}
    each, one = (Memory(data, 20, draw=noise(channels), seed=channels) for channels in (4, 1))
    result = comparing(each, one, cost=False, order=False)
    assert [f.code for f in result.findings] == ["distribution"], str(result)
    assert "what differs most is the part that all channels have in common" in result.verdict
    other = Memory(data, 20, draw=noise(4), seed=2)
    equal = comparing(each, other, cost=False, order=False)
    assert equal.level != "different", str(equal)


@pytest.mark.long
def test_noise_that_too_few_runs_show_is_not_compared() -> None:
    sides = noisy(5.0), noisy(-5.0)
    result = comparing(*sides, cost=False, order=False, draw_seconds=0.01)
    assert result.level == "not compared" and not result.ok, str(result)


@pytest.mark.long
def test_a_missing_example_is_missing_and_what_is_drawn_for_the_others_the_same() -> None:
    result = comparing(noisy(5.0), noisy(-5.0, lacking=1), cost=False, order=False)
    assert [f.code for f in result.findings] == ["missing", "random"], str(result)


@pytest.mark.long
def test_a_flip_left_out_is_said_to_be_another_distribution_not_a_torn_pair() -> None:
    def make(flip: bool) -> Any:
        def augment(number: Any, image: Any, label: Any) -> Any:
            image = tf.image.random_flip_left_right(image) if flip else image
            return number, tf.image.random_brightness(image, 0.2), label

        made = tf.data.Dataset.from_tensor_slices((np.arange(COUNT), IMAGE, LABEL))
        return lambda: made.shuffle(100).map(augment).batch(50)

    result = comparing(make(True), make(False), cost=False, order=False, draw_seconds=180)
    assert [f.code for f in result.findings] == ["distribution"], str(result)
    assert "torn" not in str(result)


def now_and_then(share: float, size: int, drop: bool = False) -> Any:
    """A pipeline of 90 images, some of which are flipped; nothing else tells them apart."""

    def flipped(image: Any) -> Any:
        return tf.where(tf.random.uniform([]) < share, image[:, ::-1], image)

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices(IMAGE[:90]).shuffle(90)
        made = made.map(flipped) if share else made
        return made.batch(size, drop_remainder=drop)

    return make


@pytest.mark.long
@pytest.mark.parametrize(("share", "size"), [(0.06, 30), (0.5, 45)])
def test_what_is_drawn_for_fewer_examples_than_a_batch_has_is_drawn_all_the_same(
    share: float, size: int
) -> None:
    sides = now_and_then(share, size), now_and_then(share, size)()
    result = comparing(*sides, cost=False, order=False, draw_seconds=1)
    assert {f.code for f in result.findings} <= {"random", "not-compared"}, str(result)
    assert result.level != "different" and "the other one does not" not in str(result)


def test_examples_that_a_dropped_batch_leaves_out_by_chance_are_not_drawn() -> None:
    sides = now_and_then(0, 40, True), now_and_then(0, 40, True)
    result = comparing(*sides, cost=False, order=False)
    assert not {f.code for f in result.findings} & {"random", "distribution"}, str(result)


@pytest.mark.long
def test_a_vector_with_a_larger_mean_is_not_said_to_be_in_reverse_order() -> None:
    def make(low: float) -> Any:
        def drawn(n: Any) -> Any:
            return n, tf.random.uniform([3], low, 1) + tf.cast(n, tf.float32)

        return lambda: tf.data.Dataset.range(40).map(drawn).shuffle(30).batch(8)

    result = comparing(make(0.0), make(0.5), cost=False, order=False)
    assert result.level == "different" and "reverse order" not in str(result), str(result)


def without(*chosen: int, **how: Any) -> Memory:
    """Numbers of few classes, of which each run leaves out another one of the chosen."""
    places = np.arange(150)

    def order(rng: np.random.Generator, count: int) -> Any:
        return rng.permutation(np.delete(places, rng.choice(chosen)) if chosen else places)

    return Memory({"id": places, "class": places % 3, "half": places % 2}, order=order, **how)


@pytest.mark.long
def test_an_example_that_a_skip_behind_a_shuffle_leaves_out_is_missing_not_drawn() -> None:
    for seed in range(4):  # in about half of them the other class tells what came by chance
        result = comparing(without(seed=9), without(0, 30, 60, 90, 120, seed=seed), cost=False)
        assert [f.code for f in result.findings] == ["missing"], str(result)
        assert result.findings[0].count == 1


def test_examples_drawn_with_replacement_are_not_called_random_values() -> None:
    def replaced(rng: np.random.Generator, count: int) -> Any:
        return rng.integers(0, count, 3 * count)

    data = {"id": np.arange(130), "label": np.arange(130) % 5}
    sides = Memory(data, pool=130, epochs=3, early=True), Memory(data, order=replaced, seed=2)
    result = comparing(*sides, cost=False)
    assert not result.ok and {f.code for f in result.findings} <= {"duplicated", "missing"}, result


def test_what_a_rare_flip_makes_is_drawn_though_most_examples_are_the_other_sides() -> None:
    def flip(rng: np.random.Generator, columns: Any) -> Any:
        one = rng.integers(0, 40)
        image = columns["image"].copy()
        image[one] = image[one, :, ::-1]
        return {**columns, "image": image}

    data = {"image": IMAGE[:45], "label": LABEL[:45]}
    result = comparing(Memory(data), Memory(data, draw=flip), cost=False, draw_seconds=2)
    assert result.findings[0].code == "random", str(result)


@pytest.mark.long
def test_a_side_that_was_cut_off_and_flips_is_not_said_to_draw_nothing() -> None:
    """After some epochs nearly all flips of all images have come; what is cached has only one."""

    def flip(number: Any, image: Any) -> Any:
        return number, tf.where(tf.random.uniform([]) < 0.5, image, image[:, ::-1])

    def make(cached: bool) -> Any:
        def build() -> tf.data.Dataset:
            made = tf.data.Dataset.from_tensor_slices((np.arange(COUNT), IMAGE)).map(flip)
            return (made.cache() if cached else made).repeat().shuffle(100).batch(50)

        return build

    result = comparing(
        make(False), make(True), limit=6 * COUNT, cost=False, order=False, draw_seconds=5
    )
    assert "repeats what it has drawn" in str(result), str(result)
    assert "the other one does not" not in str(result), str(result)


def test_a_side_that_flips_fewer_images_is_not_said_to_flip_none() -> None:
    def flips(few: int) -> Any:
        def flip(rng: np.random.Generator, columns: Any) -> Any:
            chosen = rng.choice(90, few, replace=False)
            image = columns["image"].copy()
            image[chosen] = image[chosen, :, ::-1]
            return {"image": image}

        return flip

    data = {"image": IMAGE[:90]}
    sides = (Memory(data, 30, draw=flips(few), seed=few) for few in (3, 12))
    result = comparing(*sides, cost=False, order=False, draw_seconds=1)
    assert result.findings[0].code in ("not-compared", "distribution"), str(result)


def test_draws_of_whole_batches_that_are_the_same_by_chance_are_not_called_fewer() -> None:
    """Four batches, of two epochs, with one of eight shifts each: some runs draw one twice."""
    data = {"id": np.arange(64), "row": np.random.default_rng(5).random((64, 8)).astype("f4")}

    def shifted(rng: np.random.Generator, columns: Any) -> Any:
        by = np.repeat(rng.integers(0, 8, 4), 32)[:, None]
        return {**columns, "row": np.take_along_axis(columns["row"], (np.arange(8) + by) % 8, 1)}

    for seed in range(6):
        old, new = (Memory(data, 32, epochs=2, draw=shifted, seed=s) for s in (seed, 100 + seed))
        result = comparing(old, new, cost=False, order=False, draw_seconds=0.1)
        assert "different ones" not in str(result), str(result)


def test_the_order_of_several_epochs_is_judged_beside_draws() -> None:
    data = {"id": np.arange(150), "image": np.random.default_rng(5).random((150, 4)).astype("f4")}

    def noise(rng: np.random.Generator, columns: Any) -> Any:
        return {**columns, "image": columns["image"] + rng.random(columns["image"].shape)}

    old, new = (Memory(data, 10, pool=p, epochs=2, draw=noise, seed=p) for p in (100, 5))
    result = comparing(old, new, cost=False, draw_seconds=0.1)
    codes = {f.code for f in result.findings}
    assert "weak-shuffle" in codes and "order-unknown" not in codes, str(result)
