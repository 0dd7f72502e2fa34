"""Rows that somebody pastes: what is read of them, and what is refused."""

import json
import re
from html import unescape

import pytest
from leafspace_drawings import text_of

from service.drawings.pasted_rows import MAX_PASTED_ROWS, read_pasted
from service.drawings.typed_values import TypedValues, parameters_of, query_of, value_of
from storage.errors import StorageError
from tests.support.api import Api, Registered

_KNOWN = {"feature_names": ["age", "job", "owner"], "feature_types": ["number", "category", "boolean"]}
_LABELS = [{"value": "A1", "label": "unskilled worker"}, {"value": "A2", "label": "clerk"}]
_DATASET = {
    "columns": [{"name": "age", "title": "Age of the applicant"}, {"name": "job", "labels": _LABELS}, {"name": "owner"}]
}
_ROW = {"age": "41", "job": "A2", "owner": "yes"}


@pytest.mark.parametrize(
    "text",
    [
        "age,job,owner\n41,A2,yes",
        "age\tjob\towner\r\n41\tA2\tyes\r\n",
        "\ufeffage;job;owner\n41;A2;yes",
        '"owner","JOB","Age of the applicant"\n"yes","clerk","41"',
        "age\t41\njob\tA2\nowner\tyes",
        "41,A2,yes",
        json.dumps({"age": 41, "job": "Clerk", "owner": True}),
        json.dumps([{"age": 41.0, "job": "A2", "owner": True}]),
        json.dumps([[41, "A2", True]]),
        json.dumps([41, "A2", True]),
    ],
)
def test_a_row_is_read_from_sheets_csv_and_json(text: str) -> None:
    pasted = read_pasted(text, _KNOWN, _DATASET)
    assert [dict(row) for row in pasted.rows] == [_ROW]
    assert (list(pasted.unread), list(pasted.lacking)) == ([], [])


def test_what_the_model_does_not_have_and_what_no_row_names_is_said() -> None:
    pasted = read_pasted("name,age\nAnn,41\n,", _KNOWN, _DATASET)
    assert [dict(row) for row in pasted.rows] == [{"age": "41"}]
    assert (list(pasted.unread), list(pasted.lacking)) == (["name"], ["job", "owner"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "0 rows were pasted"),
        ("age,job,owner", "0 rows were pasted"),
        ("[]", "0 rows were pasted"),
        ("{'age': 41}", "begins as JSON and is none"),
        ("[" * 5000, "begins as JSON and is none"),
        ('[{"age": [1]}]', "a row is an object with a value by feature"),
        ("[1, 2]", "a row is an object with a value by feature"),
        ("height\n180", "names none of the features"),
        ('{"height": 180}', "none of the columns is a feature of the model: 'height'; begin with a line of names"),
        ("age,job,owner\n41,A2", "row 1 has 2 cells, and the first line names 3 columns"),
        ("age,job,owner\n" + "41,A2,yes\n" * (MAX_PASTED_ROWS + 1), "201 rows were pasted"),
    ],
)
def test_what_is_no_row_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(StorageError, match=problem.replace("[", r"\[")):
        read_pasted(text, _KNOWN, _DATASET)


@pytest.mark.parametrize(("text", "value"), [("1,234.5", 1234.5), ("-1,234,567", -1234567.0), ("1e3", 1000.0)])
def test_commas_separate_thousands(text: str, value: float) -> None:
    assert value_of(text, "number") == value


@pytest.mark.parametrize("text", ["12,5", "1,23", "a lot", "nan", "inf", "1,2345"])
def test_a_decimal_comma_is_not_taken_for_thousands(text: str) -> None:
    with pytest.raises(StorageError, match="is not a finite number"):
        value_of(text, "number")


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e300, -7.0, 2.0**60, 1e-9])
def test_a_number_in_an_address_is_the_same_number(value: float) -> None:
    assert value_of(text_of(value), "number") == value


def test_what_cannot_be_a_value_is_refused_by_feature_and_missing_values_have_no_place_in_addresses() -> None:
    typed = TypedValues.read(_KNOWN, {"age": "old", "job": "A1", "owner": ""})
    assert typed.values == {"job": "A1", "owner": None}
    assert typed.refused["age"].text == "old"
    assert query_of(parameters_of({"a b": 1.5, "job": "x&y", "owner": None}, {})) == "?of.a%20b=1.5&of.job=x%26y"


def test_names_that_differ_in_case_alone_are_distinct_and_hidden_features_are_not_listed() -> None:
    known = {"feature_names": ["age", "AGE", "secret"], "feature_types": ["number"] * 3}
    dataset = {"columns": [{"name": "age"}, {"name": "AGE"}]}
    pasted = read_pasted("AGE,age\n1,2", known, dataset)
    assert [dict(row) for row in pasted.rows] == [{"AGE": "1", "age": "2"}]
    assert list(pasted.lacking) == []
    with pytest.raises(StorageError) as refused:
        read_pasted("height\n180", known, dataset)
    assert "secret" not in refused.value.detail


def test_rows_none_of_which_the_model_can_read_each_say_why(api: Api, forest: Registered) -> None:
    first, second = forest.model["feature_names"][:2]
    path = f"/page/parts/explainers/{forest.explainer['id']}/pasted"
    drawn = api.post(path, {"text": f"{first},{second}\n1e39,2\n1,1e39"})  # beyond the single precision that it takes
    assert drawn.status_code == 200
    assert drawn.text.count("/form?of.") == 2
    reasons = list(map(unescape, re.findall(r'<td colspan="2" class="ls-warn">([^<]+)</td>', drawn.text)))
    assert [name in reason for name, reason in zip((first, second), reasons, strict=True)] == [True, True]


def test_the_form_says_whether_its_rows_are_stored(api: Api, forest: Registered) -> None:
    of = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}
    storing = api.post("/v1/explainers", {**of, "store_explanations": True}).json()["id"]
    said = {each: api.get(f"/page/parts/explainers/{each}/form").text for each in (storing, forest.explainer["id"])}
    assert "which stores each explanation" in said[storing]
    assert "and not stored" in said[forest.explainer["id"]]
