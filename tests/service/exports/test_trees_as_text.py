"""Trees as text, Graphviz's DOT and JSON: every node is there, and no text becomes something else."""

import re

import orjson
import pytest
from leafspace_drawings.tree_colours import Colours
from leafspace_drawings.tree_texts import rounded

from schemas.rule_sets import RuleFeature
from service.exports import TREE_MEDIA_TYPES, TextFormat, write_tree
from tests.service.exports.test_rules import ODD
from tests.support.printed_rules import condition
from tests.support.printed_trees import document, leaf, stump, tree_content
from tests.support.trees_of_conditions import TREES, grown

_QUOTED = r'"((?:[^"\\]|\\["\\nN])*)"'
_STATEMENTS = (
    re.compile(r"digraph \w+ \{"),
    re.compile(rf"  (graph|node|edge) \[(?:\w+=(?:\w+|{_QUOTED}), )*\w+=(?:\w+|{_QUOTED})\];"),
    re.compile(rf"  n(?P<id>\d+) \[label={_QUOTED}(?:, \w+=\"#[0-9a-f]{{6}}\")*\];"),
    re.compile(r'  n(?P<start>\d+) -> n(?P<end>\d+) \[label="(?P<answer>yes|no)"\];'),
    re.compile(r"\}"),
)
SMALL = stump(
    RuleFeature(name="port", type="category", missing_text="nan"),
    condition("port", "is one of", ["S", "C"], or_missing=True),
    "survived",
    "died",
    text="port is S or C (missing allowed)",
)


def test_text_has_a_line_for_each_node_below_its_parent() -> None:
    assert write_tree(SMALL, "text").splitlines() == [
        (
            "STA, each question chosen by a test; 2 leaves, depth 1; for 3 trees, from 10 rows; "
            "balanced fidelity 90% (always no: 50%), fidelity 95% (always no: 90%) "
            "on the 100 rows that it was made from"
        ),
        "p: how likely new pseudo rows would lead to another question; cap: no more rows were allowed",
        "",
        "port is S or C (missing allowed)?  [5 rows; p = 0.03, cap]",
        "├─ yes: survived  [5 rows; survived: 100%, died: 0%]",
        "└─ no:  died  [5 rows; died: 100%, survived: 0%]",
    ]


def test_what_people_read_says_which_classes_are_adverse_and_code_does_not_change() -> None:
    said = "Adverse to the person concerned: died"
    assert write_tree(SMALL, "text", ["died"]).splitlines()[1] == said
    assert said in write_tree(SMALL, "graphviz", ["died"])
    picture = write_tree(SMALL, "svg", ["died"])
    assert ">died (adverse)</text>" in picture
    assert ">survived</text>" in picture
    warm = Colours.of(SMALL, ["died"]).of_label("died")
    assert warm in picture
    assert warm in write_tree(SMALL, "graphviz", ["died"])
    assert warm not in write_tree(SMALL, "svg")
    code: list[TextFormat] = ["sql", "python", "json"]
    assert [write_tree(SMALL, form, ["died"]) for form in code] == [write_tree(SMALL, form) for form in code]
    to_read: list[TextFormat] = ["text", "graphviz", "svg"]
    assert [write_tree(SMALL, form, ["another"]) for form in to_read] == [write_tree(SMALL, form) for form in to_read]


def test_text_says_what_speaks_against_the_tree_and_which_leaves_are_settled() -> None:
    nodes = [{**node.model_dump(), "p_value": None, "at_cap": None} for node in SMALL.nodes]
    nodes[1] |= {"settled": True}
    nodes[2] |= {"settled": False}
    caution = {"code": "splits_not_significant", "detail": "1 of 2 splits is significant"}
    found = document(nodes, SMALL.features, SMALL.classes, method="ism", cautions=[caution])

    lines = write_tree(found, "text").splitlines()

    assert lines[1].startswith("settled: proved that the model gives every row that could reach the leaf its label")
    assert lines[2] == "Caution: 1 of 2 splits is significant."
    assert lines[5] == "├─ yes: survived  [5 rows; survived: 100%, died: 0%; settled]"
    assert lines[6] == "└─ no:  died  [5 rows; died: 100%, survived: 0%]"
    assert "settled" not in write_tree(SMALL, "text")


@pytest.mark.parametrize("name", TREES)
def test_the_path_to_each_leaf_can_be_read_from_the_text(name: str) -> None:
    content = tree_content(grown(name))
    lines = write_tree(content, "text").split("\n\n", 1)[1].splitlines()

    assert len(lines) == content.n_nodes
    for node, line in zip(content.nodes, lines, strict=True):
        bars, shown = re.fullmatch(r"((?:│  |   )*(?:[├└]─ (?:yes:|no: ) )?)(.*)", line).groups()  # type: ignore[union-attr]
        assert len(bars.replace("─ yes: ", "  ").replace("─ no:  ", "  ")) == 3 * node.depth
        if node.text is not None:
            assert shown.startswith(f"{node.text}?  [{node.n_samples:,} row")
        if node.left is not None and node.right is not None:
            assert lines[node.left].lstrip("│ ").startswith("├─ yes: ")
            assert lines[node.right].lstrip("│ ").startswith("└─ no:  ")


def test_a_regression_has_its_values_and_their_r2_to_the_models() -> None:
    text = write_tree(tree_content(grown("random_forest_regression"), "cart"), "text")

    assert text.startswith("CART on pseudo rows; ")
    assert "R2 to the model 0.950 on the 100 rows that it was made from" in text
    assert re.search(r"─ yes: \d+(\.\d+)?  \[\d+ rows\]", text)


def test_a_tree_without_tests_does_not_mention_them() -> None:
    content = document([leaf(0, 0, "only", ["only"])], [], ["only"], method="ism", n_rows=1)

    assert write_tree(content, "text").splitlines()[1:] == ["", "only  [5 rows; only: 100%]"]


def _parsed(source: str) -> tuple[dict[int, str], list[tuple[int, int, str]]]:
    """Return labels of nodes as Graphviz shows them, and edges; every line must be one statement."""
    labels: dict[int, str] = {}
    edges: list[tuple[int, int, str]] = []
    for line in source.rstrip("\n").split("\n"):
        found = [match for match in (pattern.fullmatch(line) for pattern in _STATEMENTS) if match]
        assert len(found) == 1, line
        shown = found[0].groupdict()
        if "id" in shown:
            labels[int(shown["id"])] = _shown(found[0][2])
        elif "start" in shown:
            edges.append((int(shown["start"]), int(shown["end"]), shown["answer"]))
    return labels, edges


def _shown(label: str) -> str:
    """Return what Graphviz makes of a quoted label: escapes first, then entities."""
    parts = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}
    plain = re.sub(r'\\["\\nN]', lambda match: parts[match[0]], label)
    assert not re.search(r"&(?!amp;)", plain)
    return plain.replace("&amp;", "&")


@pytest.mark.parametrize("name", TREES)
def test_the_digraph_has_the_trees_nodes_and_edges(name: str) -> None:
    content = tree_content(grown(name))

    labels, edges = _parsed(write_tree(content, "graphviz"))

    assert sorted(labels) == list(range(content.n_nodes))
    expected = [
        (node.id, child, answer)
        for node in content.nodes
        for child, answer in ((node.left, "yes"), (node.right, "no"))
        if child is not None
    ]
    assert sorted(edges) == sorted(expected)
    for node in content.nodes:
        first = labels[node.id].split("\n")[0]
        assert first == (f"{node.text}?" if node.text else first)
        assert f"{node.n_samples:,} row" in labels[node.id]


@pytest.mark.parametrize(
    "text", [*filter(None, ODD), "&amp; &#38; &lt;b&gt;", "\\N \\G \\l \\", "</text>", "{a|b}", "<b>x</b>", "\0"]
)
def test_odd_texts_stay_texts_in_every_drawing(text: str) -> None:
    content = stump(
        RuleFeature(name=text, type="category", missing_text=None), condition(text, "is", text), text, "no", text=text
    )

    labels, _ = _parsed(write_tree(content, "graphviz"))
    lines = write_tree(content, "text").split("\n")

    visible = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    assert labels[0].split("\n")[0] == f"{visible}?"
    assert labels[1].split("\n")[0] == (visible if text.strip() else ascii(text))
    assert len(lines) == 7
    assert lines[3].startswith(f"{visible}?  [")


def test_json_holds_the_tree_and_nothing_about_how_it_was_made() -> None:
    found = orjson.loads(write_tree(SMALL, "json"))

    assert set(found) == {"task", "classes", "features", "n_nodes", "n_leaves", "depth", "nodes"}
    assert found["nodes"] == [node.model_dump(mode="json") for node in SMALL.nodes]


def test_every_format_has_a_media_type() -> None:
    assert set(TREE_MEDIA_TYPES) == {"json", "text", "graphviz", "svg", "sql", "python", "onnx", "html"}


def test_values_have_all_digits_before_their_point() -> None:
    assert [rounded(value) for value in (317782.4, 1234567.0, 12345.678, 1032.5, 0.000012345678, -317782.4)] == [
        "317,782",
        "1,234,567",
        "12,346",
        "1,032.5",
        "0.000012346",
        "-317,782",
    ]
