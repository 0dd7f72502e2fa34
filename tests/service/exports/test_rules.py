"""Exported rules predict what the document predicts, run in SQLite and Python, with any names and categories."""

import ast
import itertools
import json
import re
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explanations.rules import WarmRules
from schemas.models import Score
from schemas.rule_sets import RuleFeature, RuleSetResult
from service.exports import write_rules
from storage.errors import StorageError
from tests.support.printed_rules import Row, condition, prediction, rule_set, run_python, run_sql

ODD = [
    "plain",
    'quo"ted',
    "it's",
    "semi; DROP TABLE given; --",
    "' OR 1=1 --",
    '" OR 1=1 --',
    "back\\slash\\",
    "'); import os #",
    "{braces} %s $1 ?",
    "`tick` | <b>bar</b>",
    "new\nline",
    "\u2028line\u2029\x85\r",
    "é ü 漢 😀",
    "*/ /* comment",
    '"""',
    "",
    " ",
]


def _number(name: str) -> RuleFeature:
    return RuleFeature(name=name, type="number", missing_text=None)


def _category(name: str, missing_text: str | None = None) -> RuleFeature:
    return RuleFeature(name=name, type="category", missing_text=missing_text)


def _served(content: RuleSetResult, rows: list[Row]) -> list[Any]:
    """Return the prediction of each row in explanations: of the first rule that holds, or the default."""
    warm = WarmRules.of(content, list(rows[0]))
    served = [json.loads(warm.text(warm.firing(list(row.values())))) for row in rows]
    return [rules[0]["prediction"] if rules else content.default_prediction for rules in served]


def _check_all_forms(content: RuleSetResult, rows: list[Row]) -> list[Any]:
    expected = [prediction(content, row) for row in rows]
    texts = frozenset(feature.name for feature in content.features if feature.type == "category")
    assert _served(content, rows) == expected
    assert run_python(write_rules(content, "python"), rows) == expected
    assert run_sql(write_rules(content, "sql"), rows, texts) == expected
    return expected


EVERY_KIND = rule_set(
    [_number("age"), _category("sex", "nan"), _category("port"), _number("fare"), _number("is_child")],
    [
        ([condition("age", "<=", 12.5), condition("sex", "is", "male")], "a"),
        ([condition("age", "<=", 30.0, or_missing=True), condition("sex", "is not", "male")], "b"),
        ([condition("port", "is one of", ["S", "C"], or_missing=True), condition("fare", ">", 7.0)], "c"),
        ([condition("sex", "is none of", ["male", "other"])], "d"),
        ([condition("fare", "is missing")], "e"),
        ([condition("port", "is missing"), condition("age", "is not missing")], "f"),
        ([condition("port", "is not missing"), condition("is_child", "is", "yes", of="stage")], "g"),
        (
            [condition("sex", "is none of", ["female"], or_missing=True), condition("fare", ">", 3.0, or_missing=True)],
            "h",
        ),
        ([condition("sex", "is missing"), condition("is_child", "is not", "yes", of="stage")], "i"),
    ],
    "otherwise",
)
VALUES: dict[str, list[Any]] = {
    "age": [None, 12.5, 12.6, 30.0, 31.0],
    "sex": [None, "male", "female", "nan", "other", "unseen"],
    "port": [None, "S", "C", "Q"],
    "fare": [None, 2.0, 5.0, 7.0, 7.5],
    "is_child": [None, 0.0, 1.0],
}


def test_every_condition_means_the_same_in_every_format_missing_values_included() -> None:
    rows: list[Row] = [dict(zip(VALUES, values, strict=True)) for values in itertools.product(*VALUES.values())]

    found = _check_all_forms(EVERY_KIND, rows)

    assert set(found) == {*"abcdefghi", "otherwise"}


def test_codes_written_as_integers_are_the_categories_of_that_name() -> None:
    content = rule_set([_category("code")], [([condition("code", "is one of", ["7", "12"])], "yes")], "no")
    rows: list[Row] = [{"code": code} for code in (7, "7", 12, 8, None)]

    assert _served(content, rows) == ["yes", "yes", "yes", "no", "no"]
    assert run_python(write_rules(content, "python"), rows) == ["yes", "yes", "yes", "no", "no"]


def test_numbers_fall_on_the_same_side_however_close_to_a_threshold_they_are() -> None:
    thresholds = [0.1, 0.3, 33250.0, -7.1, 1e-3, 123456.789, 0.0, 16777217.0, 3e38]
    content = rule_set([_number("x")], [([condition("x", "<=", each)], each) for each in sorted(thresholds)], 9e99)
    near: set[float] = set()
    for each in thresholds:
        single = np.float32(each)
        neighbors = [single, np.nextafter(single, np.float32(-np.inf)), np.nextafter(single, np.float32(np.inf))]
        middles = [(float(a) + float(b)) / 2 for a, b in itertools.pairwise(sorted(map(float, neighbors)))]
        for value in (each, *map(float, neighbors), *middles):
            near |= {value, float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf))}

    found = _check_all_forms(content, [{"x": value} for value in sorted(near)])

    assert len(set(found)) == len(thresholds) + 1


@pytest.mark.parametrize("name", [name for name in ODD if name])
def test_odd_names_stay_names(name: str) -> None:
    content = rule_set([_number(name)], [([condition(name, ">", 0.5)], "yes")], "no")

    assert _check_all_forms(content, [{name: 1.0, "other": 0.0}, {name: 0.0, "other": 1.0}]) == ["yes", "no"]


@pytest.mark.parametrize("text", ODD)
def test_odd_categories_and_labels_stay_texts(text: str) -> None:
    content = rule_set(
        [_category("c")],
        [([condition("c", "is", text)], text + "1"), ([condition("c", "is none of", [text, "x"])], text)],
        text + "2",
    )

    assert _check_all_forms(content, [{"c": text}, {"c": "y"}, {"c": "x"}, {"c": None}]) == [
        *(text + "1", text, text + "2", text + "2"),
    ]


@settings(max_examples=100)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_stays_a_text(text: str) -> None:
    content = rule_set([_category("c" + text)], [([condition("c" + text, "is", text)], text + "!")], text)

    _check_all_forms(content, [{"c" + text: text}, {"c" + text: "not " + text}])


def test_a_text_that_sql_cannot_write_is_refused_there_alone() -> None:
    content = rule_set([_category("c")], [([condition("c", "is", "a\0b")], "yes")], "no")

    assert run_python(write_rules(content, "python"), [{"c": "a\0b"}, {"c": "a"}]) == ["yes", "no"]
    with pytest.raises(StorageError, match="NUL") as refused:
        write_rules(content, "sql")
    assert refused.value.code == "method_not_applicable"


def test_values_of_a_regression_come_back_to_the_last_digit() -> None:
    values = [0.1 + 0.2, 1e22, -5e-324, 1 / 3]
    content = rule_set(
        [_number("x")], [([condition("x", "<=", float(at))], each) for at, each in enumerate(values)], 7.0
    )

    assert _check_all_forms(content, [{"x": float(at)} for at in range(5)]) == [*values, 7.0]


def test_no_rules_and_rules_without_conditions_are_rules_too() -> None:
    nothing = rule_set([], [], "default")
    always = rule_set([], [([], "always"), ([], "never")], "default")

    assert _check_all_forms(nothing, [{"x": 1.0}]) == ["default"]
    assert _check_all_forms(always, [{"x": 1.0}]) == ["always"]


def test_exported_python_imports_nothing_and_defines_one_function() -> None:
    tree = ast.parse(write_rules(EVERY_KIND, "python"))

    assert [type(node) for node in tree.body] == [ast.FunctionDef]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names == {"row", "name", "found", "value", "text", "isinstance", "str"}


def test_nan_is_missing_to_the_exported_function() -> None:
    (found,) = run_python(write_rules(EVERY_KIND, "python"), [dict.fromkeys(VALUES, float("nan"))])

    assert found == prediction(EVERY_KIND, dict.fromkeys(VALUES))


def test_json_holds_the_rules_and_nothing_about_how_they_were_made() -> None:
    document = orjson.loads(write_rules(EVERY_KIND, "json"))

    assert set(document) == {
        *("task", "classes", "features", "combination", "rules", "default_prediction", "default_scores"),
    }
    assert document["rules"] == [rule.model_dump(mode="json") for rule in EVERY_KIND.rules]


def test_a_table_in_markdown_has_a_line_for_each_rule_and_one_for_the_rest() -> None:
    lines = write_rules(EVERY_KIND, "markdown").splitlines()

    assert lines[0] == "| | if | then | rows | right for | of them decided | right for |"
    assert lines[2] == "| 1 | `age <= 12.5 and sex is male` | `a` | 2 | 75.0% | 1 | 100.0% |"
    assert lines[-3] == "| | otherwise | `otherwise` | | | 0 | |"
    assert len(lines) == 5 + len(EVERY_KIND.rules)
    n_rows = f"{EVERY_KIND.n_rows:,} rows"
    assert lines[-1] == f"Rows and shares are those of the {n_rows} that the rules were made from."


@pytest.mark.parametrize("text", [text for text in ODD if text.strip()])
def test_odd_texts_do_not_break_the_table(text: str) -> None:
    content = rule_set([_category("c")], [([condition("c", "is", text)], text)], text)

    lines = write_rules(content, "markdown").split("\n")

    assert len(lines) == 7
    for line in lines[2:4]:
        cells = re.split(r"(?<!\\)\|", line)
        assert len(cells) == 9
        for cell in (cells[2], cells[3]):
            inside = cell.strip()
            fence = re.match("`*", inside)
            assert inside == "otherwise" or (fence and inside.endswith(fence[0]) and fence[0] not in inside.strip("`"))


def weighted(means: list[float], weights: list[float], classes: list[str]) -> RuleSetResult:
    """Return rules with weights: below each whole number, and one for all rows."""
    below = [([condition("x", "<=", float(at))], "" if classes else mean) for at, mean in enumerate(means[1:])]
    content = rule_set([_number("x")], [*below, ([], "" if classes else means[0])], "" if classes else 0.0)
    ordered = zip(content.rules, [*means[1:], means[0]], [*weights[1:], weights[0]], strict=True)
    rules = [
        rule.model_copy(update={"weight": weight, "scores": [Score(label=c, value=v) for c, v in _both(classes, mean)]})
        for rule, mean, weight in ordered
    ]
    return content.model_copy(update={"combination": "weighted_mean", "classes": classes, "rules": rules})


def _both(classes: list[str], mean: float) -> list[tuple[str, float]]:
    return list(zip(classes, (1 - mean, mean), strict=True)) if classes else []


@pytest.mark.parametrize("size", [1e-9, 1.0, 3.3e7])
def test_weighted_means_are_the_same_to_the_last_digit_in_every_format(size: float) -> None:
    content = weighted([size / 3, -0.1 * size, 2.7 * size], [0.001, 0.5, 0.25], [])
    rows: list[Row] = [{"x": value} for value in (-1.0, 0.5, 2.0, None)]

    found = run_python(write_rules(content, "python"), rows)

    assert run_sql(write_rules(content, "sql"), rows, frozenset()) == found
    assert found == pytest.approx([prediction(content, row) for row in rows], rel=1e-9)
    assert len(set(found)) == 3


def test_a_weighted_share_of_exactly_a_half_is_the_first_class() -> None:
    content = weighted([0.5, 0.75, 0.25, 0.625], [0.001, 0.25, 0.25, 0.1], ["no", "it's"])
    rows: list[Row] = [{"x": value} for value in (-1.0, 0.5, 1.5, 3.0)]

    expected = [prediction(content, row) for row in rows]

    assert expected == ["it's", "no", "it's", "no"]
    assert run_python(write_rules(content, "python"), rows) == expected
    assert run_sql(write_rules(content, "sql"), rows, frozenset()) == expected
    markdown = write_rules(content, "markdown")
    assert "| 1 | `x <= 0.0` | 0.75 | 0.25 | 2 |" in markdown
    assert markdown.endswith(
        "by their weights, and `it's` where that is over 0.5.\n\n"
        "Rows and shares are those of the 2 rows that the rules were made from.\n"
    )
