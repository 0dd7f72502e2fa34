"""Trees exported as SQL and Python predict what the tree does, row by row, whatever names and categories are called."""

import ast
import itertools
import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult
from schemas.rule_sets import RuleFeature
from service.exports import write_tree
from storage.errors import StorageError
from tests.service.exports.test_rules import ODD
from tests.support.printed_rules import Row, condition, run_python, run_sql
from tests.support.printed_trees import document, leaf, plain_rows, predictions, stump, tree_content
from tests.support.trees_of_conditions import REAL_TREES, TREES, grown, really_grown, with_holes


def _texts(content: ApproximationTreeResult) -> frozenset[str]:
    return frozenset(feature.name for feature in content.features if feature.type == "category")


def _scores(content: ApproximationTreeResult, rows: list[Row]) -> list[dict[str, float]]:
    names: dict[str, Any] = {}
    exec(compile(write_tree(content, "python"), "exported tree", "exec"), names)  # noqa: S102  # that is what it is for
    return [names["predict_scores"](row) for row in rows]


def _number(name: str) -> RuleFeature:
    return RuleFeature(name=name, type="number", missing_text=None)


def _category(name: str, missing_text: str | None = None) -> RuleFeature:
    return RuleFeature(name=name, type="category", missing_text=missing_text)


def _check_both(content: ApproximationTreeResult, rows: list[Row]) -> list[Any]:
    found = run_python(write_tree(content, "python"), rows)
    assert run_sql(write_tree(content, "sql"), rows, _texts(content)) == found
    return found


@pytest.mark.parametrize(("name", "method"), [*((name, None) for name in TREES), *REAL_TREES])
@pytest.mark.sampled("tenths")
def test_every_row_gets_the_trees_own_prediction_whatever_is_missing(name: str, method: str | None) -> None:
    known = grown(name) if method is None else really_grown(name, method)
    content = tree_content(known)

    for rows in (known.rows, with_holes(known.rows)):
        assert _check_both(content, plain_rows(rows)) == predictions(known, rows)


@pytest.mark.parametrize(("name", "method"), [*((name, None) for name in TREES), *REAL_TREES])
@pytest.mark.sampled("tenths")
def test_sides_that_predict_the_same_are_written_as_one(name: str, method: str | None) -> None:
    content = tree_content(grown(name) if method is None else really_grown(name, method))
    sql, python = write_tree(content, "sql"), write_tree(content, "python")

    assert _n_leaves_of_sql(sql) == len(_answers(content, 0, lambda node: node.prediction)) <= content.n_leaves
    of_python = _answers(content, 0, lambda node: (node.prediction, tuple(score.value for score in node.scores)))
    assert len(re.findall(r"^ +return \d+$", python, re.MULTILINE)) == len(of_python) <= content.n_leaves


def _answers(content: ApproximationTreeResult, at: int, answer: Callable[[ApproximationNode], Any]) -> list[Any]:
    """Return the answers of a tree's leaves from left to right, those below a node as one where they are one answer."""
    node = content.nodes[at]
    if node.left is None or node.right is None:
        return [answer(node)]
    below = [*_answers(content, node.left, answer), *_answers(content, node.right, answer)]
    return below[:1] if len(set(below)) == 1 else below


def _n_leaves_of_sql(expression: str) -> int:
    """Return how many predictions an expression has: one for each case and each ELSE that is no CASE itself."""
    code = re.sub(r"'(''|[^'])*'|--.*", "", expression)
    words = re.findall(r"\b(CASE|THEN|ELSE)\b", code)
    return words.count("THEN") + words.count("ELSE") - max(0, words.count("CASE") - 1) or 1


def test_what_is_merged_answers_as_its_sides_do_and_keeps_scores_that_differ() -> None:
    tested = condition("x", "<=", 2.0).model_dump() | {"text": "x <= 2", "left": 1, "right": 4}
    below = condition("x", "<=", 1.0).model_dump() | {"text": "x <= 1", "left": 2, "right": 3}
    labels = ("no", "yes")
    nodes = [leaf(0, 0, "no", labels) | tested, leaf(1, 1, "no", labels) | below]
    nodes += [leaf(2, 2, "yes", labels), leaf(3, 2, "yes", labels), leaf(4, 1, "no", labels)]
    rows: list[Row] = [{"x": 0.5}, {"x": 1.5}, {"x": 2.5}, {"x": None}]

    same = document(nodes, [_number("x")], labels)
    assert _check_both(same, rows) == ["yes", "yes", "no", "no"]
    assert [write_tree(same, form).count("1.0") for form in ("sql", "python")] == [0, 2]  # its scores alone

    nodes[3] = nodes[3] | {"scores": [{"label": "no", "value": 0.25}, {"label": "yes", "value": 0.75}]}
    other = document(nodes, [_number("x")], labels)
    assert _check_both(other, rows) == ["yes", "yes", "no", "no"]
    assert [scores["yes"] for scores in _scores(other, rows)] == [1.0, 0.75, 0.0, 0.0]


@pytest.mark.parametrize("name", ["random_forest_multiclass", "ordinal_categories"])
def test_python_returns_the_share_of_each_class_to_the_last_digit(name: str) -> None:
    known = grown(name)

    found = _scores(tree_content(known), plain_rows(known.rows))

    assert [list(scores.values()) for scores in found] == known.tree.scores_of(known.rows).tolist()
    assert {tuple(scores) for scores in found} == {known.description.classes}


@pytest.mark.parametrize("turns", ["left", "right", "both"])
def test_a_tree_of_the_greatest_depth_runs_everywhere(turns: str) -> None:
    content = _chain(30, turns)
    rows: list[Row] = [{"x": at + 0.5} for at in range(-1, 31)]

    found = _check_both(content, rows)

    assert len(set(found)) == 31
    assert found == [_walked(content, row) for row in rows]


def _chain(depth: int, turns: str) -> ApproximationTreeResult:
    """Return a tree in which each question hangs on the same answer of the one before, or on either in turn."""
    nodes: list[dict[str, Any]] = []
    low, high = 0, depth

    for at in range(depth):
        to_left = turns == "left" or (turns == "both" and at % 2 == 0)
        bound = high if to_left else low
        low, high = (low, high - 1) if to_left else (low + 1, high)
        tested = condition("x", "<=", float(bound)).model_dump() | {"text": f"x <= {bound}"}
        nodes.append(leaf(len(nodes), at, "inner", ()) | tested | {"below_left": to_left})
        if not to_left:
            nodes.append(leaf(len(nodes), at + 1, f"leaf {at}", ()))
    nodes.append(leaf(len(nodes), depth, "the last", ()))
    waiting = [node for node in nodes if node.get("below_left")]
    for node in reversed(waiting):  # the leaves for no come behind all that is below yes
        node["right"] = len(nodes)
        nodes.append(leaf(len(nodes), node["depth"] + 1, f"leaf {node['depth']}", ()))
    for node in nodes:
        to_left = node.pop("below_left", None)
        if to_left is not None:
            node["left"] = node["id"] + 1
            node["right"] = node["right"] if to_left else node["id"] + 2
    return document(nodes, [_number("x")], ["any"])


def _walked(content: ApproximationTreeResult, row: Row) -> float | str:
    node = content.nodes[0]
    while node.left is not None and node.right is not None:
        assert isinstance(node.value, float)
        node = content.nodes[node.left if row["x"] <= node.value else node.right]
    return node.prediction


@pytest.mark.parametrize("name", [name for name in ODD if name])
def test_odd_names_stay_names(name: str) -> None:
    content = stump(_number(name), condition(name, "<=", 0.5), "yes", "no")

    assert _check_both(content, [{name: 0.0, "other": 1.0}, {name: 1.0, "other": 0.0}]) == ["yes", "no"]


@pytest.mark.parametrize("text", ODD)
def test_odd_categories_and_labels_stay_texts(text: str) -> None:
    tested = condition("c", "is one of", [text, "x"])
    content = stump(_category("c"), tested, text + "1", text, text=text)

    rows: list[Row] = [{"c": text}, {"c": "x"}, {"c": "y"}, {"c": None}]
    assert _check_both(content, rows) == [text + "1", text + "1", text, text]
    assert _scores(content, rows[:1]) == [{text: 0.0, text + "1": 1.0}]


@settings(max_examples=60)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_stays_a_text(text: str) -> None:
    content = stump(_category("c" + text), condition("c" + text, "is", text), text + "!", text, text=text)

    assert _check_both(content, [{"c" + text: text}, {"c" + text: f"not {text}"}]) == [text + "!", text]


def test_a_text_that_sql_cannot_write_is_refused_there_alone() -> None:
    content = stump(_category("c"), condition("c", "is", "a\0b"), "yes", "no")

    assert run_python(write_tree(content, "python"), [{"c": "a\0b"}, {"c": "a"}]) == ["yes", "no"]
    with pytest.raises(StorageError, match="NUL") as refused:
        write_tree(content, "sql")
    assert refused.value.code == "method_not_applicable"


def test_missing_values_go_where_the_condition_sends_them() -> None:
    rows: list[Row] = [{"x": None}, {"x": 0.0}, {"x": 9.0}]
    texts: list[Row] = [{"x": None}, {"x": "a"}, {"x": "nan"}, {"x": "b"}]

    for or_missing, expected in ((False, "no"), (True, "yes")):
        of_number = stump(_number("x"), condition("x", "<=", 1.0, or_missing=or_missing), "yes", "no")
        of_text = stump(_category("x", "nan"), condition("x", "is", "a", or_missing=or_missing), "yes", "no")
        assert _check_both(of_number, rows) == [expected, "yes", "no"]
        assert _check_both(of_text, texts) == [expected, "yes", expected, "no"]
    is_missing = stump(_number("x"), condition("x", "is missing"), "yes", "no")
    assert _check_both(is_missing, rows) == ["yes", "no", "no"]
    is_missing = stump(_category("x", "nan"), condition("x", "is missing"), "yes", "no")
    assert _check_both(is_missing, texts) == ["yes", "no", "yes", "no"]


def test_booleans_and_one_hot_columns_are_numbers() -> None:
    rows: list[Row] = [{"x": False}, {"x": True}, {"x": 0}, {"x": 1}, {"x": None}]
    flag = stump(_number("x"), condition("x", "<=", 0.5), "no", "yes")
    one_hot = stump(_number("x"), condition("x", "is", "late", of="stage"), "late", "early")

    assert _check_both(flag, rows) == ["no", "yes", "no", "yes", "yes"]
    assert _check_both(one_hot, rows) == ["early", "late", "early", "late", "early"]


def test_booleans_are_true_or_false_in_python_and_mean_the_same() -> None:
    rows: list[Row] = [{"x": False}, {"x": True}, {"x": 0}, {"x": 1}, {"x": None}]
    feature = RuleFeature(name="x", type="boolean", missing_text=None)

    for operator, or_missing in itertools.product(("<=", ">"), (False, True)):
        test = condition("x", operator, 0.5, or_missing=or_missing)
        content = stump(feature, test, "yes", "no")
        above = ["no", "yes", "no", "yes", "yes" if or_missing else "no"]
        below = ["yes", "no", "yes", "no", "yes" if or_missing else "no"]
        assert _check_both(content, rows) == (above if operator == ">" else below)
        code = [line for line in write_tree(content, "python").splitlines() if not line.lstrip().startswith("#")]
        assert "0.5" not in "".join(code)


def test_a_tree_of_one_leaf_predicts_the_same_for_all_rows() -> None:
    of_class = document([leaf(0, 0, "it's", ["it's"])], [], ["it's"])
    of_value = document([leaf(0, 0, 1 / 3, ())], [], [])

    assert _check_both(of_class, [{"x": 1.0}, {"x": None}]) == ["it's", "it's"]
    assert _check_both(of_value, [{"x": 1.0}]) == [1 / 3]


def test_exported_python_imports_nothing_and_has_scores_for_classes_alone() -> None:
    of_classes, of_values = (
        ast.parse(write_tree(tree_content(grown(name)), "python")) for name in ("missing_kept", TREES[2])
    )

    assert _functions(of_classes) == ["predict", "predict_scores", "_leaf"]
    assert _functions(of_values) == ["predict", "_leaf"]
    for tree in (of_classes, of_values):
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert all(isinstance(node, ast.FunctionDef | ast.Assign) for node in tree.body)


def _functions(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_only_features_on_a_rows_path_are_read() -> None:
    content = tree_content(grown("missing_kept"))
    row = plain_rows(grown("missing_kept").rows)[0]
    read: set[str] = set()

    class Watched(dict[str, object]):
        def __getitem__(self, name: str) -> object:
            read.add(name)
            return super().__getitem__(name)

    run_python(write_tree(content, "python"), [Watched(row)])

    assert 0 < len(read) < len(content.features)


def test_splits_along_no_branches_are_cases_of_one_case_expression() -> None:
    expression = write_tree(_chain(30, "right"), "sql")

    assert expression.count("CASE") == 1
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute(f"SELECT {expression} FROM (SELECT 7.5 AS x)").fetchall() == [("leaf 8",)]  # noqa: S608
