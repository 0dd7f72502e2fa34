"""Rule sets through the SDK, against a real service."""

import asyncio
import io
import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from leafspace_client import AsyncLeafspace, Conflict, Leafspace, RuleSet
from leafspace_client.rule_sets import Method
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from tests.support.serving import Service

_DATA = load_breast_cancer(as_frame=True)
_FEATURES: pd.DataFrame = _DATA.data.astype(np.float32)
_FRAME = _FEATURES.assign(target=_DATA.target_names[_DATA.target])
_FOREST = RandomForestClassifier(20, max_depth=8, random_state=0).fit(_FEATURES, _FRAME["target"])


@pytest.fixture
def model(client: Leafspace) -> str:
    return client.register_model(_FOREST, _FEATURES).id


@pytest.fixture
def dataset(client: Leafspace) -> str:
    return client.register_dataset(_FRAME, target="target").id


@pytest.fixture
def rule_set(client: Leafspace, model: str, dataset: str) -> RuleSet:
    return client.rule_sets.create(model, dataset, max_rules=4, n_restarts=2).wait()


def test_the_papers_method_returns_its_regions_with_all_parameters(client: Leafspace, model: str, dataset: str) -> None:
    fab = client.rule_sets.create(model, dataset, method="fab", max_rules=4, n_restarts=3).wait()

    eta = pq.read_table(io.BytesIO(fab.parameters())).to_pandas().filter(like="eta:")
    rows = pd.read_csv(io.BytesIO(fab.map_predictions("csv")))
    assert eta.shape == (fab.result.n_statements, len(fab.regions))
    assert sum(region.share for region in fab.regions) == pytest.approx(1)
    assert rows["region"].value_counts().to_dict() == {each.region: each.n_rows for each in fab.regions if each.n_rows}
    assert "  regions (MAP): error " in str(fab)


def test_settings_of_the_paper_fill_in_what_is_left_out(client: Leafspace, model: str, dataset: str) -> None:
    made = client.rule_sets.create(model, dataset, settings="paper", labels="predicted", max_rules=4, n_restarts=3)

    request = made.details.request
    assert (request.method, request.start, request.labels, request.max_rules) == ("fab", "algorithm_1", "predicted", 4)
    again = {"method": "fab", "start": "algorithm_1", "e_step_rounds": 100, "max_rules": 4, "n_restarts": 3}
    assert client.rule_sets.create(model, dataset, **again).id == made.id


def test_a_forest_is_described_in_a_few_rules(rule_set: RuleSet) -> None:
    lines = str(rule_set).splitlines()

    n_rules = len(rule_set.rules)
    assert lines[0] == f"1. if {rule_set.rules[0].text} then {rule_set.rules[0].prediction}"
    assert lines[n_rules] == f"otherwise {rule_set.default_prediction}"
    assert lines[n_rules + 1] == "Measured on 569 rows, the rows that it was made from:"
    printed, constant = rule_set.evaluation.as_printed, rule_set.evaluation.constant
    assert lines[n_rules + 2].startswith(f"  printed rules: error {printed.error:.3f}, balanced error ")
    assert [line.partition(":")[0].strip() for line in lines[n_rules + 2 : -1]] == [
        "printed rules",
        "model",
        "always 'benign'",
    ]
    assert constant
    assert lines[-2].startswith(f"  always 'benign': error {constant.error:.3f}, balanced error 0.500, fidelity ")
    assert lines[-1] == f"Caution: {rule_set.result.cautions[0].detail}; {rule_set.result.cautions[0].remedy}."
    assert rule_set.evaluation.as_printed.error is not None
    assert rule_set.to_frame()["text"].tolist() == [rule.text for rule in rule_set.rules]
    assert repr(rule_set).startswith(f"RuleSet {rule_set.id} (ready, {len(rule_set.rules)} rules, ")


def test_exported_rules_run_and_say_what_explanations_say(
    client: Leafspace, model: str, dataset: str, rule_set: RuleSet
) -> None:
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=3).wait()
    explainer = client.explainers.create(model, prototypes, rule_set=rule_set)

    explained = explainer.explain(_FEATURES, n_prototypes=1, include=["rules"])

    served = [each.rules[0].prediction if each.rules else rule_set.default_prediction for each in explained]
    names: dict[str, object] = {}
    exec(rule_set.export("python"), names)  # noqa: S102  # that is what it is for
    predict = names["predict"]
    assert callable(predict)
    assert [predict(row) for row in _FEATURES.to_dict("records")] == served
    with sqlite3.connect(":memory:") as connection:
        _FEATURES.to_sql("given", connection, index=False)
        answers = connection.execute(f"SELECT {rule_set.export('sql')} FROM given").fetchall()  # noqa: S608
    assert [answer for (answer,) in answers] == served
    first = next(each for each in explained if each.rules)
    deciding = first.rules[0]
    assert f"Rule {deciding.rank} decides: if {deciding.text} then {deciding.prediction}\n" in f"{first}\n"


def test_results_are_written_to_files_and_shown_as_a_table(rule_set: RuleSet, tmp_path: Path) -> None:
    whole = json.loads(rule_set.download(tmp_path / "rules.json").read_text())
    table = pd.read_csv(rule_set.download(tmp_path / "rules.csv", "csv"))

    assert [rule["text"] for rule in whole["rules"]] == [rule.text for rule in rule_set.rules]
    assert table["prediction"].tolist() == [*(rule.prediction for rule in rule_set.rules), rule_set.default_prediction]
    assert json.loads(rule_set.content()) == whole
    lines = rule_set.export().splitlines()
    assert sum(line.startswith("|") for line in lines) == 3 + len(rule_set.rules)
    assert lines[-1].startswith("Rows and shares are those of")


def test_rules_that_are_not_ready_say_so(client: Leafspace, model: str, dataset: str) -> None:
    pending = client.rule_sets.create(model, dataset, n_restarts=500)
    cancelled = pending.cancel()

    with pytest.raises(Conflict, match=r"call wait\(\)"):
        _ = cancelled.rules
    with pytest.raises(Conflict) as refused:
        cancelled.export("sql")
    assert refused.value.code == "artefact_not_ready"
    assert str(cancelled) == repr(cancelled)


def test_coroutines_do_the_same(service: Service, model: str, dataset: str, rule_set: RuleSet) -> None:
    async def exported() -> str:
        async with AsyncLeafspace(service.url) as client:
            found = await (await client.rule_sets.create(model, dataset, max_rules=4, n_restarts=2)).wait()
            return await found.export("sql")

    assert asyncio.run(exported()) == rule_set.export("sql")


def test_rules_with_weights_are_shown_with_them(client: Leafspace, model: str, dataset: str) -> None:
    made = client.rule_sets.create(model, dataset, method="node_harvest", options={"max_depth": 1}).wait()

    lines = str(made).splitlines()
    share = "the share of malignant, which is predicted above 50%"
    assert lines[0] == f"weighted mean of the rules that hold of {share}:"
    assert lines[1].startswith(f"weight {made.rules[0].weight:.3g}: {made.rules[0].scores[1].value:.1%} if ")
    assert lines[1].endswith(f" if {made.rules[0].text}")
    always = next(line for line, rule in zip(lines[1:], made.rules, strict=False) if rule.text == "always")
    assert always.endswith(" always")
    assert " if " not in always
    assert "share of `malignant` | weight" in made.export("markdown")
    with pytest.raises(ValueError, match="method 'fab' has no options; only in_trees, node_harvest, decision_tree"):
        client.rule_sets.create(model, dataset, method="fab", options={"max_depth": 1})


@pytest.mark.parametrize(("method", "known"), [("in_trees", "n_trees, max_depth"), ("decision_tree", "max_depth")])
def test_options_that_the_method_does_not_have_are_refused_with_those_that_it_has(
    client: Leafspace, method: Method, known: str
) -> None:
    with pytest.raises(ValueError, match=f"method '{method}' has no option 'depth'; it has {known}"):
        client.rule_sets.create("mdl_any", "ds_any", method=method, options={"max_depth": 2, "depth": 1})
