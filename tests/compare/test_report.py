"""The report: one file, readable at two widths, and harmless whatever the data say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from tests.browser import browser_path

pytest.importorskip("jinja2", reason="the report needs jinja2")
pytest.importorskip("matplotlib", reason="the report needs matplotlib")

HOSTILE = [
    b"</script><script>alert(1)</script>",
    b'"><img src=x onerror=alert(2)>',
    b"' onmouseover='alert(3)",
    b"{{ 7 * 7 }}{% include '/etc/passwd' %}",
    b"javascript:alert(4) http://evil.example/x.png",
    b"\x00\x1b[31m\xff\xfe\xe2\x80\xae",
    "<style>body{display:none}</style>‮".encode(),
    b"</pre></body></html>",
]


def sides() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    count = len(HOSTILE) * 20
    old = {
        "<b>image</b>": rng.integers(0, 255, (count, 10, 10, 3)).astype(np.uint8),
        "label": np.arange(count),
        "text": np.array([b"%d " % n + HOSTILE[n % len(HOSTILE)] for n in range(count)], object),
    }
    new = {name: value.copy() for name, value in old.items()}
    new["<b>image</b>"][3] = new["<b>image</b>"][3][..., ::-1]
    new["<b>image</b>"][9, 4, 4] = 0
    for row in range(len(HOSTILE)):
        new["text"][40 + row] = HOSTILE[row]
    keep = np.arange(count) != 77

    def make(data: Any, pool: int) -> Any:
        made = tf.data.Dataset.from_tensor_slices(data)
        return lambda: made.shuffle(pool).batch(16)

    return make(old, 100), make({k: v[keep] for k, v in new.items()}, 20)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    comparing(*sides(), cost_seconds=0.02).to_html(path)
    return path


@pytest.mark.long
def test_nothing_of_the_data_becomes_markup(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    for bad in ("<script", "<img src=x", "<b>image", "49{% ", "<style>body{display", "\x1b"):
        assert bad not in text.replace("<style>\n", "")
    assert "&lt;script&gt;alert(1)" in text
    assert "{{ 7 * 7 }}" in text


@pytest.mark.long
def test_it_says_how_both_sides_were_run(tmp_path: Path) -> None:
    train = tf.compat.v1.train

    def old() -> Any:
        tf.compat.v1.set_random_seed(5)
        number = train.range_input_producer(300, num_epochs=1, shuffle=True, seed=8).dequeue()
        return train.shuffle_batch([number], 10, 90, 30, seed=13)

    made = tf.data.Dataset.range(300, output_type=tf.int32).shuffle(40, seed=21)
    jittered = made.map(lambda n: n + tf.random.uniform([], 0, 1, tf.int32)).batch(10)
    comparing(old, jittered, cost=False).to_html(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "graph seed 5" in text and "shuffle_batch/random_shuffle_queue (5, 13)" in text
    assert ", 21)" in text and "1 op that may draw, without a seed" in text
    assert text.count(f"tensorflow {tf.__version__}") == 2
    assert Path(sys.argv[0]).name in text[text.index("How it was run") :]


def test_a_shuffle_in_a_graph_is_no_op_that_does_not_draw() -> None:
    from queueio.compare.sides.seeds import of_graph

    with tf.Graph().as_default() as graph:
        numbers = tf.compat.v1.data.Dataset.range(9)
        tf.compat.v1.data.make_initializable_iterator(numbers.map(lambda n: n + 1))
        assert of_graph(graph) == ""  # nobody knows what else may draw
        tf.compat.v1.data.make_initializable_iterator(numbers.shuffle(4))
        assert of_graph(graph) == "1 op that may draw, without a seed"
        tf.compat.v1.data.make_initializable_iterator(numbers.shuffle(4, seed=6))
    assert "ShuffleDataset_1 (87654321, 6); 1 op that may draw" in of_graph(graph)


@pytest.mark.long
def test_it_is_one_file_without_addresses(report: Path) -> None:
    import re

    text = report.read_text(encoding="utf-8")
    attributes = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert attributes and all(a.startswith("data:") for a in attributes)


def test_the_verdict_comes_first_and_images_are_drawn(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert text.index('id="verdict"') < text.index("Findings") < text.index("Side by side")
    assert text.count('class="example"') >= 3


def test_every_measurement_of_order_is_explained(report: Path) -> None:
    from queueio.compare.report.page import TERMS
    from queueio.compare.report.summary import _ROWS

    assert set(TERMS) <= set(_ROWS)
    text = report.read_text(encoding="utf-8")
    for term in ("displacement", "Kendall&#39;s tau", "autocorrelation", "mixes like a pool of"):
        assert text.index(f"<th>{term}</th>") < text.index(f"<dt>{term}:</dt>")


@pytest.mark.long
def test_no_legend_lies_over_the_data() -> None:
    from queueio.compare.report import plots

    result = comparing(*sides(), cost_seconds=0.02)
    made = [plots._positions, plots._displacement, plots._batches, plots._throughput]
    drawn = [found for each in made if (found := each(result, plots.LIGHT))]
    assert len(drawn) == 4
    for title, figure, _ in drawn:
        figure.draw_without_rendering()
        (axes,) = figure.axes
        legend = axes.get_legend().get_window_extent()
        assert legend.y0 >= axes.get_window_extent().y1 - 1, title
        assert legend.y1 <= figure.bbox.y1 + 1, title


@pytest.mark.long
@pytest.mark.skipif(browser_path() is None, reason="no chromium on this machine")
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_shows_it_without_error_or_request(report: Path, width: int) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    said: list[str] = []
    asked: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append("a dialog: " + dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(report.as_uri())
        assert "Different: " in page.inner_text("#verdict")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = page.evaluate("[...document.images].map(i => i.naturalWidth)")
        assert sizes and all(size > 0 for size in sizes)
        assert page.locator("mark").count() > 0
        assert page.evaluate("getComputedStyle(document.body).display") == "block"
        browser.close()
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [report.as_uri()]


@pytest.mark.long
@pytest.mark.skipif(browser_path() is None, reason="no chromium on this machine")
def test_in_the_dark_the_page_and_its_plots_are_dark_and_can_be_read(report: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    brightness = """() => {
        const of = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number);
                          return (0.3 * r + 0.6 * g + 0.1 * b) / 255; };
        const texts = [...document.querySelectorAll("h1, h2, h3, p, td, th, mark, .tag, dt, dd")];
        const behind = e => { for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (c !== "rgba(0, 0, 0, 0)") return of(c); } return null; };
        return texts.map(e => [of(getComputedStyle(e).color), behind(e)]);
    }"""
    corner = """async () => {
        const image = document.querySelector("figure img");
        const canvas = document.createElement("canvas");
        const pen = canvas.getContext("2d"); pen.drawImage(image, 0, 0);
        return [...pen.getImageData(1, 1, 1, 1).data];
    }"""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        for scheme, dark in (("light", False), ("dark", True)):
            page = browser.new_page(color_scheme=scheme)
            page.goto(report.as_uri())
            for ink, paper in page.evaluate(brightness):
                assert abs(ink - paper) > 0.4, scheme
                assert (paper < 0.5) is dark
            red, green, blue, opaque = page.evaluate(corner)
            assert opaque == 255 and (red + green + blue < 300) is dark
        browser.close()


def test_without_jinja2_the_way_out_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    same = tf.data.Dataset.range(10).batch(2)
    with pytest.raises(ImportError, match=r"pip install 'tf-queueio\[report\]'"):
        comparing(same, same, cost=False).to_html("never.html")
    assert not Path("never.html").exists()
