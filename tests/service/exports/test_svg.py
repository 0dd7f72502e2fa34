"""Trees drawn as SVG: complete and harmless documents in which nothing overlaps."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from leafspace_drawings.tree_colours import Colours, text_colour_on
from leafspace_drawings.tree_svg_parts import question_lines, shortened, text_width
from leafspace_drawings.tree_texts import prediction
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from schemas.approximation_trees import ApproximationTreeResult
from schemas.rule_sets import RuleFeature
from service.exports import write_tree
from tests.service.exports.test_rules import ODD
from tests.support.printed_rules import condition
from tests.support.printed_trees import document, leaf, stump, tree_content
from tests.support.trees_of_conditions import TREES, GrownTree, grown, tree_of_conditions
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.rows import Rows

_SPACE = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "title", "desc", "g", "rect", "path", "text"}


@dataclass(frozen=True)
class Drawn:
    """What a drawing holds of the tree itself, each node's in the order of ids."""

    root: ET.Element
    boxes: NDArray[np.float64]  # (n_nodes, 4) left, top, right, bottom
    titles: list[str]
    texts: list[list[ET.Element]]
    edges: NDArray[np.float64]  # (n_edges, 4) where each begins and ends
    answers: list[str]


def drawn(content: ApproximationTreeResult) -> Drawn:
    """Return a drawing's parts."""
    root = ET.fromstring(write_tree(content, "svg"))  # noqa: S314  # our own
    tree = root.findall(f"{_SPACE}g")[-1]
    nodes = tree.findall(f"{_SPACE}g")
    paths = [list(map(float, re.findall(r"-?\d+(?:\.\d+)?", each.get("d", "")))) for each in tree.iter(f"{_SPACE}path")]
    return Drawn(
        root,
        np.array([_box(node.findall(f"{_SPACE}rect")[0]) for node in nodes]),
        [node.findtext(f"{_SPACE}title", "") for node in nodes],
        [node.findall(f"{_SPACE}text") for node in nodes],
        np.array([[*path[:2], *path[-2:]] for path in paths]).reshape(-1, 4),
        [each.text or "" for each in tree.findall(f"{_SPACE}text")],
    )


def _box(rectangle: ET.Element) -> tuple[float, float, float, float]:
    x, y, width, height = (float(rectangle.get(name, "nan")) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def _digits(max_depth: int) -> ApproximationTreeResult:
    features, target = load_digits(return_X_y=True)
    names = tuple(f"pixel {at // 8},{at % 8}" for at in range(features.shape[1]))
    rows = Rows(names, tuple(np.asarray(column, np.float64) for column in features.T))
    base = grown("random_forest_multiclass").description
    renamed = base.to_json() | {"feature_names": list(names), "missing_tokens": [None] * len(names)}
    description = ModelDescription.from_json(renamed | {"classes": [f"digit {at}" for at in range(10)]})
    return tree_content(GrownTree(tree_of_conditions(rows, target, description, max_depth), rows, description))


def _all_trees() -> Iterator[ApproximationTreeResult]:
    yield from (tree_content(grown(name)) for name in TREES)
    yield _digits(12)


def test_no_two_nodes_overlap_and_all_are_in_the_picture() -> None:
    for content in _all_trees():
        found = drawn(content)

        assert len(found.boxes) == content.n_nodes
        for (left, top, right, bottom), other in combinations(found.boxes.tolist(), 2):
            assert right < other[0] or other[2] < left or bottom < other[1] or other[3] < top
        shift = re.findall(r"[\d.]+", found.root.findall(f"{_SPACE}g")[-1].get("transform", ""))
        _, _, width, height = map(float, found.root.get("viewBox", "").split())
        assert (found.boxes[:, :2] >= 0).all()
        assert found.boxes[:, 2].max() + float(shift[0]) <= width
        assert found.boxes[:, 3].max() + float(shift[1]) <= height


def test_edges_go_from_each_split_to_yes_above_and_no_below() -> None:
    for content in _all_trees():
        found = drawn(content)
        middle = found.boxes[:, [1, 3]].mean(axis=1)
        inner = [node for node in content.nodes if node.left is not None]

        assert found.answers == ["yes", "no"] * len(inner)
        for node, edges in zip(inner, found.edges.reshape(-1, 2, 4), strict=True):
            ends = [at for at in (node.left, node.right) if at is not None]
            np.testing.assert_allclose(edges[:, 0], found.boxes[node.id, 2], atol=0.06)
            np.testing.assert_allclose(edges[:, 2], found.boxes[ends, 0], atol=0.06)
            np.testing.assert_allclose(edges[:, 3], middle[ends], atol=0.06)
            assert middle[ends[0]] < middle[node.id] < middle[ends[1]]
            assert edges[0, 1] < edges[1, 1]


def test_edges_pass_no_other_node() -> None:
    for content in _all_trees():
        found = drawn(content)
        for left, start, right, end in found.edges.tolist():
            # The curve stays between its ends, left and right as well as up and down.
            low, high = sorted((start, end))
            inside = (found.boxes[:, 0] < right - 0.1) & (found.boxes[:, 2] > left + 0.1)
            assert not (inside & (found.boxes[:, 1] < high) & (found.boxes[:, 3] > low)).any()


def test_texts_are_shortened_to_their_nodes_and_whole_in_tooltips() -> None:
    for content in _all_trees():
        found = drawn(content)
        for node, title, (left, _, right, _), texts in zip(
            content.nodes, found.titles, found.boxes.tolist(), found.texts, strict=True
        ):
            assert title.startswith(f"{node.text}?" if node.text else prediction(node))
            for each in texts:
                size, is_bold = float(each.get("font-size", "nan")), each.get("font-weight") == "600"
                assert text_width(each.text or "", size, is_bold=is_bold) <= right - left - 19


def test_what_leaves_predict_has_room_for_names_that_begin_alike() -> None:
    names = ["died within thirty days", "died within ninety days"]
    feature = RuleFeature(name="age", type="number", missing_text=None)
    _, *leaves = drawn(stump(feature, condition("age", "<=", 70.0), *names)).texts
    assert [texts[0].text for texts in leaves] == names


def test_a_hundred_leaves_and_more_are_drawn_at_once() -> None:
    content = _digits(14)
    source = write_tree(content, "svg")

    assert content.n_leaves > 200
    assert len(source) < 2500 * content.n_leaves


@pytest.mark.parametrize(
    "text", [*filter(None, ODD), "</text><script>alert(1)</script>", "]]>", "&amp;", "\0\x1b", "\ufffe", "漢" * 99]
)
def test_odd_texts_stay_texts(text: str) -> None:
    content = stump(
        RuleFeature(name=text, type="category", missing_text=None), condition(text, "is", text), text, "no", text=text
    )

    found = drawn(content)

    visible = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    assert found.titles[0].startswith(f"{visible}?")
    assert found.titles[1].startswith(visible if text.strip() else ascii(text))


def test_a_drawing_loads_nothing_and_runs_nothing_and_has_no_styles_that_a_policy_could_refuse() -> None:
    for name in TREES:
        source = write_tree(tree_content(grown(name)), "svg")
        root = ET.fromstring(source)  # noqa: S314  # our own
        for each in root.iter():
            assert each.tag.removeprefix(_SPACE) in _ELEMENTS
            assert not [key for key in dict(each.items()) if key.startswith("on") or "href" in key or key == "style"]
        assert source.count("http") == 1  # the name of the language itself
        assert "url(" not in source


def test_screen_readers_get_a_description() -> None:
    root = drawn(tree_content(grown("missing_kept"))).root

    named = {each.get("id"): each.text or "" for each in root if each.get("id")}
    assert root.get("role") == "img"
    assert root.get("aria-labelledby", "").split() == list(named)
    assert named["tree-title"] == "Approximation tree"
    assert re.search(
        r"\d+ leaves, depth 7 .* fidelity 95% \(always no: 90%\) on the 100 rows that it was made from\. Rows",
        named["tree-description"],
    )


def test_bars_show_the_shares_of_classes_in_their_order() -> None:
    content = tree_content(grown("random_forest_multiclass"))
    colours = Colours.of(content)
    nodes = drawn(content).root.findall(f"{_SPACE}g")[-1].findall(f"{_SPACE}g")

    for node, group in zip(content.nodes, nodes, strict=True):
        bars = [each for each in group.findall(f"{_SPACE}rect") if each.get("height") == "4"]
        widths = np.array([float(each.get("width", "nan")) for each in bars])
        shown = [score for score in node.scores if score.value > 0]
        assert [each.get("fill") for each in bars] == [colours.of_label(score.label) for score in shown]
        np.testing.assert_allclose(widths / widths.sum(), [score.value for score in shown], atol=0.001)
        for before, after in pairwise(bars):
            assert float(before.get("x", 0)) + float(before.get("width", 0)) == pytest.approx(
                float(after.get("x", 0)), abs=0.02
            )


def test_edges_are_as_broad_as_their_share_of_rows() -> None:
    content = tree_content(grown("random_forest_binary", 3))
    tree = drawn(content).root.findall(f"{_SPACE}g")[-1]
    breadths = [float(each.get("stroke-width", "nan")) for each in tree.iter(f"{_SPACE}path")]
    ends = [at for node in content.nodes for at in (node.left, node.right) if at is not None]
    shares = np.array([content.nodes[at].n_samples for at in ends]) / content.nodes[0].n_samples

    np.testing.assert_allclose(breadths, np.maximum(1, 13 * shares), atol=0.01)


def test_classes_beyond_the_colours_share_one_and_those_with_most_rows_have_their_own() -> None:
    classes = [f"class {at}" for at in range(14)]
    nodes = [leaf(0, 0, "class 13", classes)]
    content = document(nodes, [], classes)

    colours = Colours.of(content)

    assert len(set(colours.of_classes.values())) == 10
    assert colours.of_label("class 13") == "#0072b2"
    assert colours.of_label("class 12") == colours.of_label("class 11")
    assert "4 other classes" in write_tree(content, "svg")


def test_values_get_darker_as_they_rise() -> None:
    colours = Colours.of(tree_content(grown("random_forest_regression")))
    values = np.linspace(colours.lowest, colours.highest, 9).tolist()

    light = [sum(int(colours.of_value(value)[at : at + 2], 16) for at in (1, 3, 5)) for value in values]

    assert all(before > after for before, after in pairwise(light))
    assert text_colour_on(colours.of_value(values[0])) != text_colour_on(colours.of_value(values[-1]))


def test_text_is_legible_on_every_colour() -> None:
    for fill in (*Colours.of(_digits(3)).of_classes.values(), "#8d949c", "#deebf7", "#084594"):
        assert _contrast(text_colour_on(fill), fill) >= 4.5


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(
    "text", ["a", "petal width <= 0.8?", "漢字 😀 漢字 漢字", "x" * 200, "many short words " * 20, ""]
)
def test_a_shortened_text_fits_and_is_a_beginning(text: str) -> None:
    for most in (30.0, 100.0, 240.0):
        short = shortened(text, 13, most)
        lines = question_lines(text, "", 13, most, is_bold=True)

        assert text_width(short, 13) <= most + 0.01
        assert short == text or text.startswith(short.removesuffix("..."))
        assert len(lines) <= 3
        assert all(text_width(line, 13, is_bold=True) <= most + 0.01 for line in lines)
        shown = "".join(lines).replace(" ", "").removesuffix("...").rstrip(".")
        assert text.replace(" ", "").startswith(shown)


@pytest.mark.parametrize(
    "name",
    [
        "NumberOfTime30-59DaysPastDueNotWorse",
        "Average monthly balance of the customer's current account over the last twelve months",
        "average_monthly_balance_of_the_current_account_over_the_last_twelve_months",
        "x" * 200,
        "漢" * 99,
    ],
)
def test_what_is_asked_about_a_column_of_a_long_name_is_shown(name: str) -> None:
    for asked in (" is at most 0.37948885?", " is no checking or another account?"):
        lines = question_lines(name + asked, name, 13, 200, is_bold=True)

        shown = "".join(lines).replace(" ", "")
        assert len(lines) <= 3
        assert all(text_width(line, 13, is_bold=True) <= 200.01 for line in lines)
        assert shown.endswith(asked.replace(" ", ""))
        assert shown.startswith(name[:6].replace(" ", ""))


def test_a_tree_of_one_leaf_is_a_drawing_too() -> None:
    content = document([leaf(0, 0, "only", ["only"])], [], ["only"])

    assert drawn(content).titles == ["only\n5 rows\nonly: 100%"]
