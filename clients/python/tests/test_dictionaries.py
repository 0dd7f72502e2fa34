"""Dictionaries in the SDK: read from where people keep them, given with a table, and spoken by notices."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Explainer, Invalid, Leafspace, NotFound, read_dictionary
from sklearn.ensemble import RandomForestClassifier

from tests.support.serving import Service

_RANDOM = np.random.default_rng(5)
_ROWS = pd.DataFrame(_RANDOM.uniform(0, 100, size=(120, 3)), columns=["duration", "amount", "savings"]).round(0)
_LABELS = np.where(_ROWS.duration + _ROWS.amount - _ROWS.savings + _RANDOM.normal(0, 9, 120) > 60, "bad", "good")
_WORDS: dict[str, Any] = {
    "features": {
        "duration": {"label": "duration of the loan", "unit": "months", "reason_code": "R3", "only_down": True},
        "amount": {"label": "amount *borrowed*", "reason_text": "A <large> loan was asked for."},
    },
    "outcomes": {"bad": {"label": "declined", "adverse": True}, "good": {"label": "granted"}},
}
_READ: list[dict[str, Any]] = [
    {"name": "duration", "label": "duration of the loan", "unit": "months"},
    {"name": "status", "description": "of the account", "values": [{"value": "A11", "label": "overdrawn"}]},
]


def _explainer(client: Leafspace) -> tuple[Explainer, str]:
    forest = RandomForestClassifier(8, max_depth=4, random_state=1).fit(_ROWS, _LABELS)
    model = client.register_model(forest, _ROWS)
    dataset = client.register_dataset((_ROWS, _LABELS), dictionary=_WORDS)
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=5).wait()
    return client.explainers.create(model, prototypes), dataset.id


def test_a_notice_states_reasons_and_changes_and_nothing_of_others(client: Leafspace) -> None:
    explainer, dataset = _explainer(client)
    explanations = explainer.explain(_ROWS, changes={"max_features": 1})
    declined = next(each for each in explanations if each.label == "bad" and each.changes and each.changes.options)
    granted = next(each for each in explanations if each.label == "good")

    reasons = declined.reasons()
    assert 1 <= len(reasons) <= 3
    assert {reason.code for reason in reasons if reason.feature == "duration"} <= {"R3"}
    assert granted.reasons() == []
    frame = declined.to_frame("effects").set_index("feature")
    assert frame.feature_text["duration"] == "duration of the loan"
    assert frame.value_text["duration"] == f"{frame.value['duration']:.0f} months"
    assert "duration of the loan" in str(declined)
    notice = declined.notice()
    assert str(notice) == notice.markdown
    assert "The decision is: declined." in notice.markdown
    assert "a typical case whose decision is: granted" in notice.markdown
    for reason in reasons:
        assert reason.text.replace("*", r"\*").replace("<", r"\<").replace(">", r"\>") in notice.markdown
    assert "the same model would be: granted" in notice.html
    assert "<large>" not in notice.html
    assert declined.effects is not None
    assert f"row {declined.effects.reference.row_id}" not in notice.markdown
    assert "reason" not in granted.notice().markdown
    changed = {part.feature: part for option in declined.changes.options for part in option.changes}  # type: ignore[union-attr]
    assert all(float(part.to) < float(part.value) for name, part in changed.items() if name == "duration")  # type: ignore[arg-type]  # numbers

    client.datasets.put_dictionary(dataset, {"features": {"amount": {"hidden": True, "label": "sum"}}})
    again = explainer.explain(_ROWS[:1], include=["values", "changes", "curves"])[0]
    assert not {"amount", "sum"}.intersection(json.dumps(again.to_dict()).replace('"', " ").split())


def test_words_are_kept_replaced_and_deleted(client: Leafspace) -> None:
    rows = _ROWS.assign(more=1.0)
    dataset = client.register_dataset(rows, dictionary={"features": {"duration": {"label": "first"}}})

    assert dataset.columns[0].title == "first"
    first = client.datasets.dictionary(dataset)
    second = client.datasets.put_dictionary(dataset, _WORDS["features"], expected=first)
    assert second.to_dict()["features"][1]["reason_text"] == "A <large> loan was asked for."
    with pytest.raises(Invalid, match="'amuont'"):
        client.datasets.put_dictionary(dataset, {"features": {"amuont": {"label": "x"}}})
    assert client.datasets.dictionary(dataset).revision == second.revision
    client.datasets.delete_dictionary(dataset)
    with pytest.raises(NotFound, match="dictionary"):
        client.datasets.dictionary(dataset)
    assert client.datasets.get(dataset.id).columns[0].title is None


def test_dictionaries_are_read_from_the_usual_places(tmp_path: Path) -> None:
    schema = {
        "fields": [
            {"name": "duration", "type": "integer", "title": "duration of the loan", "unit": "months"},
            {
                "name": "status",
                "type": "string",
                "description": "of the account",
                "categories": [{"value": "A11", "label": "overdrawn"}],
                "constraints": {"required": True},
            },
        ]
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "words.csv").write_text(
        "name,label,unit,description,values,hidden\n"
        "duration,duration of the loan,months,,,\nstatus,,,of the account,A11=overdrawn,no\n"
    )
    frame = pd.DataFrame({"duration": [1.0], "status": ["A11"]})
    frame.attrs = {
        "labels": {"duration": "duration of the loan"},
        "units": {"duration": "months"},
        "columns": {"status": {"description": "of the account", "values": {"A11": "overdrawn"}}},
    }

    for source in (schema, tmp_path / "schema.json", frame, {"features": _READ}):
        assert read_dictionary(source).to_dict()["features"] == _READ
    from_csv = read_dictionary(str(tmp_path / "words.csv")).to_dict()["features"]
    assert from_csv == [_READ[0], {**_READ[1], "hidden": False}]
    frame.attrs = {"dictionary": {"features": _READ}}
    assert read_dictionary(frame).to_dict()["features"] == _READ
    outcomes = {"outcomes": [{"name": True, "label": "yes"}]}
    assert read_dictionary(outcomes).to_dict()["outcomes"] == [{"name": "true", "label": "yes"}]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"features": {"age": {"lable": "x"}}}, "feature 'age': there is no 'lable'"),
        ({"features": {"age": "x"}}, "feature 'age' is 'x'"),
        ({"features": [{"label": "x"}]}, "place 0 has no name"),
        ({"features": [], "feature": []}, "no 'feature'"),
        ({"outcomes": {"a": {"unit": "x"}}}, "outcome 'a': there is no 'unit'"),
        (3, "no int"),
        ("nowhere.json", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(source: Any, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        read_dictionary(source)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("age,perhaps,,", "feature 'age': hidden is 'perhaps'"),
        ("age,,few,", "feature 'age': decimals is 'few'"),
        ("age,,,A11", "feature 'age': 'A11' in values has no label"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "words.csv"
    path.write_text(f"name,hidden,decimals,values\n{line}\n")

    with pytest.raises(Invalid, match=message):
        read_dictionary(path)


def test_whatever_is_printed_calls_classes_and_outcomes_as_the_dictionary_does(
    client: Leafspace, service: Service
) -> None:
    forest = RandomForestClassifier(8, max_depth=4, random_state=1).fit(_ROWS, _LABELS)
    bands = {"qlow": 0.3, "qmiddle": 0.7, "qhigh": None}
    said = {"qlow": "granted", "qmiddle": "referred", "qhigh": "declined", "qbad": "unpaid", "qgood": "paid"}
    outcomes = {"outcomes": {name: {"label": label} for name, label in said.items()}}
    named = {"bad": "qbad", "good": "qgood"}
    forest.classes_ = np.array([named[each] for each in forest.classes_])
    rows = _ROWS.assign(was=[named[each] for each in _LABELS])
    decided = client.register_model(forest, _ROWS, decision={"score_of": "qbad", "bands": bands})
    plain = client.register_model(forest, _ROWS)
    dataset = client.register_dataset(rows, target="was", dictionary=outcomes)

    printed: list[str] = []
    drawn: list[str] = []
    for model in (decided, plain):
        prototypes = client.prototype_sets.create(model, dataset, n_prototypes=3).wait()
        rules = client.rule_sets.create(model, dataset, n_restarts=1, max_rules=3).wait()
        tree = client.approximation_trees.create(
            model, dataset, method="cart", max_depth=2, max_pseudo_samples=1000
        ).wait()
        explainer = client.explainers.create(model, prototypes, rule_set=rules, approximation_tree=tree)
        parts = explainer.explain(_ROWS[:9], include=["contrast", "rules", "approximation_path"], changes={})
        nearest = explainer.explain(_ROWS[:2], nearest_rows={"n_rows": 2})
        audit = client.label_audits.create(model, dataset).wait()
        printed += map(str, (prototypes, rules, tree, audit))
        with Leafspace(service.url) as stranger:  # has not met the dataset
            again = (stranger.prototype_sets.get(prototypes.id), stranger.rule_sets.get(rules.id))
            trees = (stranger.approximation_trees.get(tree.id), stranger.label_audits.get(audit.id))
            rows_again = stranger.explainers.get(explainer.id).explain(_ROWS[:3], include=["rules"])
            drawn += [each._repr_html_() for each in (*again, *trees, *rows_again, rows_again)]
        printed += map(str, (*parts, *nearest))

    assert [each for each in printed if any(name in each for name in said)] == []
    assert [label for label in said.values() if not any(label in each for each in printed)] == []
    assert [each for each in drawn if any(f"<bdi>{name}</bdi>" in each for name in said)] == []
    assert [label for label in said.values() if not any(f">{label}<" in each for each in drawn)] == []
    agreement = next(each for each in printed if "otherwise " in each and "printed rules" in each)
    assert "Measured against the model on 120 rows, the rows that it was made from:" in agreement
    assert " error " not in agreement
    client.datasets.delete_dictionary(dataset)
    assert "qbad" in str(explainer.explain(_ROWS[:1])[0]) + str(explainer.explain(_ROWS[1:2])[0])
