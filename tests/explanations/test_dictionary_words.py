"""Explanations speak a dictionary's words, at once when these change, and say nothing of hidden features."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.dictionaries import DictionaryRequest, FeatureWords
from schemas.explanations import ExplanationList, ExplanationRequest
from schemas.rule_sets import RULE_SETS
from service.drawings.documents import ready
from service.drawings.files import explanations_html
from service.drawings.regions import RegionsToExplain
from service.operations.dictionaries import delete_dictionary, put_dictionary
from service.operations.explained_calls import explain_rows
from service.operations.explanations import warm_explainer
from service.operations.preconditions import Precondition
from storage.dictionaries import DictionaryStore
from tests.support.pipelines import columns_onnx
from tests.support.workshop import Workshop, result_of, workshop_in

_PARTS = ["values", "intervals", "contrast", "rules", "approximation_path", "nearest_rows"]
_COSTLY = ["changes", "curves", "evidence"]
_WORDS: list[dict[str, Any]] = [
    {"name": "qyears", "label": "age of the applicant", "unit": "years", "reason_code": "R1"},
    {"name": "qwage", "label": "monthly wage", "unit": "EUR", "decimals": 0, "group": "means"},
    {"name": "qsaved", "label": "savings", "unit": "EUR", "group": "means", "reason_text": "Too little is saved."},
    {
        "name": "qstate",
        "label": "state of the account",
        "values": [{"value": "A11", "label": "overdrawn"}, {"value": "A12", "label": "in credit"}],
    },
]
_OUTCOMES: list[dict[str, Any]] = [
    {"name": "bad", "label": "refused", "adverse": True},
    {"name": "good", "label": "granted"},
]


_NAMES = ("qyears", "qwage", "qsaved", "qstate", "A11", "A12")


def _frame() -> pd.DataFrame:
    random = np.random.default_rng(3)
    n_rows = 160
    frame = pd.DataFrame(
        {
            "qyears": random.integers(20, 70, n_rows).astype(np.float64),
            "qwage": np.round(random.uniform(1000, 5000, n_rows), 2),
            "qsaved": np.round(random.uniform(0, 9000, n_rows), 2),
            "qstate": random.choice(["A11", "A12", "A13"], n_rows),
        }
    )
    points = frame.qyears / 50 + frame.qwage / 3000 + frame.qsaved / 6000 + (frame.qstate == "A12") - 1.2
    return frame.assign(risk=np.where(points + random.normal(0, 0.4, n_rows) > 1.5, "good", "bad"))


@dataclass(frozen=True)
class _Shop:
    workshop: Workshop
    frame: pd.DataFrame
    dataset: str
    explainer: str

    def say(self, features: list[dict[str, Any]], outcomes: list[dict[str, Any]] | None = None) -> None:
        request = DictionaryRequest(features=features, outcomes=outcomes or [])
        put_dictionary(self.workshop.context, self.dataset, request, Precondition())

    def answer(self, row: int, **request: Any) -> bytes:
        instance = self.frame.drop(columns="risk").iloc[row].to_dict()
        warm = warm_explainer(self.workshop.context, self.explainer)
        return explain_rows(warm, ExplanationRequest(instances=[instance], **request))

    def explain(self, row: int = 0, **request: Any) -> dict[str, Any]:
        answer = json.loads(self.answer(row, **request))
        ExplanationList.model_validate(answer)
        found: dict[str, Any] = answer["data"][0]
        return found

    def row_of(self, outcome: str) -> int:
        rows = (row for row in range(len(self.frame)) if self.explain(row)["decision"]["outcome"] == outcome)
        return next(rows)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Shop]:
    frame = _frame()
    features = frame.drop(columns="risk")
    steps = ColumnTransformer([("text", OneHotEncoder(handle_unknown="ignore"), ["qstate"])], remainder="passthrough")
    pipeline = make_pipeline(steps, RandomForestClassifier(12, max_depth=4, random_state=0)).fit(features, frame.risk)
    with workshop_in(tmp_path_factory.mktemp("words")) as workshop:
        model = workshop.register_model(columns_onnx(pipeline, features))
        dataset = workshop.register_dataset(frame, target="risk")
        both = {"model": model, "dataset": dataset}
        prototypes = workshop.make(**both, n_prototypes=6)
        rules = workshop.find_rules(**both, n_restarts=1, max_rules=3)
        tree = workshop.grow_tree(**both, method="cart", max_pseudo_samples=1000, max_depth=3)
        assert result_of(rules)
        assert result_of(tree)
        explainer = workshop.register_explainer(
            model=model, prototype_set=prototypes.id, rule_set=rules.id, approximation_tree=tree.id
        )
        yield _Shop(workshop, frame, dataset, explainer)


@pytest.fixture(autouse=True)
def _no_words(shop: _Shop) -> Iterator[None]:
    yield
    if shop.workshop.context.dictionaries.get(shop.dataset).words is not None:
        delete_dictionary(shop.workshop.context, shop.dataset, Precondition())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from [item] if name in {"text", "summary", "detail"} and isinstance(item, str) else _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def test_every_text_has_the_words_and_the_names_stay_beside_them(shop: _Shop) -> None:
    row = shop.row_of("bad")
    before = shop.explain(row, include=[*_PARTS, *_COSTLY], n_reasons="all", max_changed_features=2)
    shop.say([{**each, "group": None} for each in _WORDS], _OUTCOMES)
    after = shop.explain(row, include=[*_PARTS, *_COSTLY], n_reasons="all", max_changed_features=2)

    texts, raw = list(_texts(after)), list(_texts(before))
    assert len(texts) == len(raw) + len(after["effects"]["principal_reasons"])
    for name in _NAMES:
        assert any(name in text for text in raw)
        assert not [text for text in texts if name in text]
    for word in ("age of the applicant", "years", "monthly wage", "EUR", "overdrawn", "in credit", "refused"):
        assert any(word in text for text in texts), word
    entry = next(each for each in after["effects"]["features"] if each["feature"] == "qwage")
    assert entry["feature_text"] == "monthly wage"
    assert entry["value_text"] == f"{round(entry['value']):,} EUR"
    names = [[each["feature"] for each in found["effects"]["features"]] for found in (before, after)]
    assert names[0] == names[1]


def test_words_count_from_the_next_request_on_and_go_again(shop: _Shop) -> None:
    before = shop.explain()
    shop.say([{"name": "qyears", "label": "first"}])
    first = shop.explain()
    shop.say([{"name": "qyears", "label": "second"}])
    second = shop.explain()
    delete_dictionary(shop.workshop.context, shop.dataset, Precondition())

    labels = [
        next(each.get("feature_text") for each in found["effects"]["features"] if each["feature"] == "qyears")
        for found in (before, first, second)
    ]
    assert labels == [None, "first", "second"]
    assert shop.explain() == before


@pytest.mark.parametrize("hidden", ["qyears", "qwage", "qsaved", "qstate"])
def test_nothing_of_a_hidden_feature_is_in_any_answer(shop: _Shop, hidden: str) -> None:
    words = [{**each, "hidden": each["name"] == hidden} for each in _WORDS]
    shop.say(words, _OUTCOMES)
    label = next(each["label"] for each in _WORDS if each["name"] == hidden)
    for row in range(0, 160, 16):
        answer = shop.explain(row, include=_COSTLY, detail="full")
        text = json.dumps(answer)
        value = shop.frame[hidden].iloc[row]
        assert answer["status"] == "ok"
        said = {hidden, label, "overdrawn", "in credit", value} if hidden == "qstate" else {hidden, label}
        if hidden in {"qwage", "qsaved"}:
            said |= {repr(float(value)), f"{value:,}", f"{round(value):,} EUR"}
        assert not [word for word in said if word in text]
        effects = answer["effects"]
        listed = sum(each["effect"] for each in effects["features"])
        total = effects["score"] - effects["reference"]["score"]
        assert listed + effects["rest"]["effect"] == pytest.approx(total, abs=1e-6)


def test_pictures_show_the_words_and_nothing_of_hidden_features(shop: _Shop) -> None:
    context = shop.workshop.context
    for hidden in ("qwage", "qstate"):
        shop.say([{**each, "hidden": each["name"] == hidden, "group": None} for each in _WORDS], _OUTCOMES)
        answer = shop.answer(shop.row_of("bad"), detail="full", include=_COSTLY)
        drawn = explanations_html(context, shop.explainer, answer).replace("<wbr>", "")
        labels = {each["name"]: each["label"] for each in _WORDS}
        assert labels.pop(hidden) not in drawn
        assert hidden not in drawn
        assert not [label for label in labels.values() if label not in drawn]
        assert " years" in drawn
        assert "<bdi>refused</bdi>" in drawn
        assert not re.search(r">(bad|good)<", drawn)


def test_features_of_a_group_are_one_player(shop: _Shop) -> None:
    single = {each["feature"]: each["effect"] for each in shop.explain(n_reasons="all")["effects"]["features"]}
    shop.say(_WORDS)
    effects = shop.explain(n_reasons="all")["effects"]

    entries = {each["feature"]: each for each in effects["features"]}
    assert set(entries) <= {"qyears", "means", "qstate"}
    assert entries["means"]["group"] == ["qwage", "qsaved"]
    assert "value" not in entries["means"]
    assert sum(each["effect"] for each in effects["features"]) == pytest.approx(sum(single.values()), abs=1e-6)


def test_protected_features_stay_in_effects_alone(shop: _Shop) -> None:
    row = shop.row_of("bad")
    shop.say([{"name": "qwage", "label": "monthly wage", "protected": True}], _OUTCOMES)
    answer = shop.explain(row, include=["changes"], n_reasons="all")

    effects = answer["effects"]
    assert next(each for each in effects["features"] if each["feature"] == "qwage")["protected"]
    assert effects["principal_reasons"]
    others = json.dumps([answer["changes"], answer["summary"], answer["nearest_prototypes"]])
    assert "qwage" not in others
    assert "monthly wage" not in others
    assert "qwage" not in json.dumps(effects["principal_reasons"])


def test_a_summary_does_not_round_what_a_change_needs(shop: _Shop) -> None:
    """Rounded as the dictionary has it, the number might lie on the other side of what gives the outcome."""
    shop.say([{"name": name, "decimals": 0} for name in ("qwage", "qsaved")])
    parts = 0
    for row in range(60):
        answer = shop.explain(row, include=["changes"])
        smallest = answer["changes"]["options"][:1]
        for part in (part for option in smallest for part in option["changes"]):
            if part["feature"] != "qstate" and part["to"] != round(part["to"]):
                parts += 1
                assert f"{part['feature']} were {part['to']:,}" in answer["summary"]
                assert f"{part['feature']} is {part['to']:,} instead of" in part["text"]
    assert parts > 1


def test_constraints_bind_changes(shop: _Shop) -> None:
    row = shop.row_of("bad")
    for bound in ("fixed", "only_up", "only_down"):
        shop.say([{"name": name, bound: True} for name in ("qyears", "qwage", "qsaved")])
        changes = shop.explain(row, include=["changes"])["changes"]
        parts = [part for option in changes["options"] for part in option["changes"] if part["feature"] != "qstate"]
        directions = {np.sign(part["to"] - part["value"]) for part in parts}
        assert directions <= {"fixed": set(), "only_up": {1.0}, "only_down": {-1.0}}[bound]
    shop.say([{"name": "qwage", "only_down": True}])
    changes = shop.explain(row, include=["changes"], only_up=["qwage"])["changes"]
    assert "qwage" not in json.dumps(changes["options"])


def test_a_contrast_names_a_fixed_feature_as_one_that_cannot_change(shop: _Shop) -> None:
    row = shop.row_of("bad")
    wished: dict[str, Any] = {"include": ["contrast"], "n_reasons": "all"}
    (before,) = shop.explain(row, **wished)["contrasts"]
    fixed = {each["feature"] for each in before["differences"][:2]}
    shop.say([{"name": name, "fixed": True} for name in sorted(fixed)])
    answer = shop.answer(row, **wished)
    (contrast,) = json.loads(answer)["data"][0]["contrasts"]

    assert {each["feature"] for each in contrast["differences"] if each.get("fixed")} == fixed
    for was, each in zip(before["differences"], contrast["differences"], strict=True):
        ending = ", and cannot change" if each["feature"] in fixed else ""
        assert each == {**was, "text": was["text"] + ending, **({"fixed": True} if ending else {})}
    drawn = explanations_html(shop.workshop.context, shop.explainer, answer)
    listed = drawn.partition("What tells it apart")[2].partition("</section>")[0]
    assert not [name for name in fixed if name in listed]


def test_rules_and_trees_are_drawn_in_the_words(shop: _Shop) -> None:
    context = shop.workshop.context
    explainer = context.explainers.get(shop.explainer)
    kinds = ((RULE_SETS, explainer.rule_set), (APPROXIMATION_TREES, explainer.approximation_tree))
    for noun, artefact in kinds:
        raw = {name for text in _texts(ready(context, noun, str(artefact))) for name in _NAMES if name in text}
        shop.say([{**each, "hidden": each["name"] == "qwage"} for each in _WORDS])
        drawn = list(_texts(ready(context, noun, str(artefact))))
        delete_dictionary(context, shop.dataset, Precondition())
        said = " ".join(drawn)
        assert raw
        assert not [name for name in (*_NAMES, "monthly wage") if name in said]
        assert ("a condition on a hidden feature" in said) is ("qwage" in raw)


def test_hidden_features_are_no_axes_of_regions(shop: _Shop) -> None:
    context = shop.workshop.context
    for hidden, others in (("qwage", {"qyears", "qsaved"}), ("qyears", {"qwage", "qsaved"})):
        shop.say([{"name": hidden, "hidden": True}])
        view = RegionsToExplain.find(context, shop.explainer, {})
        assert {view.across.name, view.up.name} == others


def test_words_of_another_process_count_after_the_next_reading(shop: _Shop) -> None:
    context = shop.workshop.context
    shop.explain()
    seen = DictionaryStore(context.database).get(shop.dataset)
    request = DictionaryRequest(features=[FeatureWords(name="qyears", label="from elsewhere")])
    DictionaryStore(context.database).put(seen, request)
    context.dictionary_revisions.renew()

    entries = shop.explain(n_reasons="all")["effects"]["features"]
    assert "from elsewhere" in [each.get("feature_text") for each in entries]


def test_principal_reasons_move_the_score_to_the_adverse_outcome(shop: _Shop) -> None:
    bad, good = shop.row_of("bad"), shop.row_of("good")
    assert "principal_reasons" not in shop.explain(bad)["effects"]
    shop.say(_WORDS, _OUTCOMES)
    effects = shop.explain(bad, n_reasons="all")["effects"]

    assert effects["of"] == "bad"
    for reason in effects["principal_reasons"]:
        said = {"qyears": ("R1", "age of the applicant"), "means": (None, "Too little is saved.")}
        assert (reason.get("code"), reason["text"]) == said.get(reason["feature"], (None, "state of the account"))
    assert "principal_reasons" not in shop.explain(good)["effects"]


def test_what_hardly_moves_the_score_is_no_principal_reason(shop: _Shop) -> None:
    shop.say(_WORDS, _OUTCOMES)
    n_left_out = 0
    for row in range(60):
        effects = shop.explain(row, n_reasons="all")["effects"]
        if "principal_reasons" in effects:
            towards = [each for each in effects["features"] if each["effect"] > 0]
            principal = [each["feature"] for each in towards if each["effect"] >= 0.05 * towards[0]["effect"]]
            assert [each["feature"] for each in effects["principal_reasons"]] == principal[:4]
            n_left_out += len(towards) - len(principal)
    assert n_left_out
