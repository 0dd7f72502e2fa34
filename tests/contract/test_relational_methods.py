"""Every method works on what a relational forest publishes, and speaks of it in the words of its tables."""

import re
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.support.api import Api, Json
from tests.support.bank import bank
from tests.support.printed_rules import run_python, run_sql
from tests.support.raw_tables import RawTables
from tests.support.relational_service import nested_instance, register_tables
from tests.support.sql_engines import ENGINES, by_example, in_duckdb, same_value
from tests.support.targets_of_rows import without_target

_TREES, _EXPLAINERS = "/v1/approximation-trees", "/v1/explainers"
_N_CUSTOMERS, _N_UNLABELLED = 250, 20
# A largest or smallest value may be missing, what is there or is counted may not.
_AS_A_NUMBER = re.compile(r"\bhas [^?,]* (is (at most|above) 0\.5|(or|is) missing|missing allowed)|number of .*missing")


@dataclass(frozen=True)
class _Bank:
    """A bank whose first customers have no label, and the forest that was learned of it."""

    raw: RawTables
    forest: Json

    @property
    def inputs(self) -> Json:
        return {name: self.forest["result"][name] for name in ("model", "dataset")}


@pytest.fixture(scope="module")
def made(api: Api) -> _Bank:
    raw = bank(_N_CUSTOMERS, seed=3, mean_transactions=30, noise=0.02, cutoffs=True)
    customers = raw.columns["customer"]
    labels = [*[None] * _N_UNLABELLED, *customers["defaulted"][_N_UNLABELLED:]]
    raw = replace(raw, columns={**raw.columns, "customer": {**customers, "defaulted": labels}})
    tables = register_tables(api, raw, "a bank of methods")
    forest = api.made("/v1/relational-forests", {"n_trees": 5, "seed": 1, "relational_dataset": tables["id"]})
    assert forest["status"] == "ready", forest["problem"]
    return _Bank(raw, forest)


@pytest.fixture(scope="module")
def tree(api: Api, made: _Bank) -> Json:
    found = api.made(_TREES, {**made.inputs, "min_samples_leaf": 2})
    assert found["status"] == "ready", found["problem"]
    return found


@pytest.fixture(scope="module")
def rows(api: Api, made: _Bank) -> list[Json]:
    """The published dataset's rows."""
    found = api.get(f"/v1/datasets/{made.inputs['dataset']}/rows?limit={_N_CUSTOMERS}").json()["data"]
    return [{cell["name"]: cell["value"] for cell in row["values"]} for row in found]


def test_ism_is_the_method_where_none_is_requested_and_its_leaves_differ(tree: Json, made: _Bank) -> None:
    result = tree["result"]

    assert tree["request"]["method"] == result["method"] == "ism"
    assert result["n_leaves"] <= result["n_leaves_before_merging"]
    assert result["evaluation"]["n_rows"] == _N_CUSTOMERS
    assert result["evaluation"]["fidelity"] > 0.9 > result["evaluation"]["constant"]["fidelity"]
    assert 0.5 < result["evaluation"]["accuracy"] <= 1
    assert result["evaluation"]["constant"]["prediction"] == "no"
    for node in result["nodes"]:
        below = {result["nodes"][each]["prediction"] for each in _leaves_below(result["nodes"], node["id"])}
        assert len(below) > 1 or node["left"] is None
    assert {each["type"] for each in result["features"]} <= {"boolean", "number"}
    assert made.forest["result"]["feature_set"]


def _leaves_below(nodes: list[Json], index: int) -> list[int]:
    node = nodes[index]
    if node["left"] is None:
        return [index]
    return _leaves_below(nodes, node["left"]) + _leaves_below(nodes, node["right"])


def test_no_text_compares_what_is_there_or_not_with_a_number(api: Api, tree: Json, made: _Bank) -> None:
    path = f"{_TREES}/{tree['id']}/export"
    texts = [api.get(f"{path}?format={each}").text for each in ("text", "graphviz", "svg")]
    rules = api.made("/v1/rule-sets", {**made.inputs, "max_rules": 4, "n_restarts": 2})
    assert rules["status"] == "ready", rules["problem"]
    texts += [rule["text"] for rule in rules["result"]["rules"]]
    texts += [node[name] or "" for node in tree["result"]["nodes"] for name in ("text", "question")]

    assert [text for text in texts if _AS_A_NUMBER.search(text)] == []
    of_nodes = [node["text"] for node in tree["result"]["nodes"] if node["text"]]
    assert any(text.startswith("has ") for text in of_nodes)
    assert not any(text.startswith(("has no ", "has at most ")) for text in of_nodes)
    questions = [node["question"] for node in tree["result"]["nodes"] if node["question"]]
    assert questions
    assert all(question.endswith("?") and question in texts[0] for question in questions)


def test_an_exported_function_predicts_what_the_tree_does(api: Api, tree: Json, rows: list[Json]) -> None:
    source = api.get(f"{_TREES}/{tree['id']}/export?format=python").text
    nodes = tree["result"]["nodes"]

    predicted = run_python(source, rows)

    for row, label in zip(rows, predicted, strict=True):
        assert label == nodes[_leaf_of(nodes, row)]["prediction"]


def test_sql_of_a_tree_reads_the_tables_or_the_features(api: Api, tree: Json, rows: list[Json], made: _Bank) -> None:
    path, nodes = f"{_TREES}/{tree['id']}/export?format=sql", tree["result"]["nodes"]
    expected = [(nodes[_leaf_of(nodes, row)]["prediction"],) for row in rows]

    over_tables, over_features = (api.get(f"{path}&over={each}").text for each in ("tables", "features"))

    assert api.get(path).text == over_tables
    assert _answers(made.raw, over_tables) == [expected, expected]
    assert [(label,) for label in run_sql(over_features, rows, frozenset())] == expected
    features = api.get(f"/v1/feature-sets/{made.forest['result']['feature_set']}/export?format=sql").text
    with in_duckdb(made.raw) as run:
        nested = f'SELECT "id", {over_features} FROM ({features}) AS features'  # noqa: S608
        assert by_example(made.raw, run(nested)) == expected


def test_sql_of_rules_reads_the_tables_or_the_features(api: Api, rows: list[Json], made: _Bank) -> None:
    rules = api.made("/v1/rule-sets", {**made.inputs, "max_rules": 4, "n_restarts": 2})
    path = f"/v1/rule-sets/{rules['id']}/export"
    expected = [(label,) for label in run_python(api.get(f"{path}?format=python").text, rows)]

    over_tables, over_features = (api.get(f"{path}?format=sql&over={each}").text for each in ("tables", "features"))

    assert api.get(f"{path}?format=sql").text == over_tables
    assert _answers(made.raw, over_tables) == [expected, expected]
    assert [(label,) for label in run_sql(over_features, rows, frozenset())] == expected


def test_sql_of_the_feature_set_gives_the_published_columns(api: Api, rows: list[Json], made: _Bank) -> None:
    feature_set = api.get(f"/v1/feature-sets/{made.forest['result']['feature_set']}").json()
    names = [feature["name"] for feature in feature_set["result"]["features"]]

    sql = api.get(f"/v1/feature-sets/{feature_set['id']}/export?format=sql").text

    for found in _answers(made.raw, sql):
        for values, row in zip(found, rows, strict=True):
            assert all(same_value(value, row[name]) for value, name in zip(values, names, strict=True))


def _answers(raw: RawTables, sql: str) -> list[list[tuple[Any, ...]]]:
    answers = []
    for engine in ENGINES.values():
        with engine(raw) as run:
            answers.append(by_example(raw, run(sql)))
    return answers


def test_what_sql_cannot_read_is_refused(api: Api, tree: Json) -> None:
    refused = api.get(f"{_TREES}/{tree['id']}/export?format=python&over=tables")

    assert refused.status_code == 422
    assert (refused.json()["code"], refused.json()["errors"][0]["pointer"]) == ("validation_failed", "/over")


def _leaf_of(nodes: list[Json], row: Json) -> int:
    index = 0
    while nodes[index]["left"] is not None:
        node = nodes[index]
        value = row[node["column"]]
        above = value is not None and float(value) > node["value"]
        holds = node["or_missing"] if value is None else above == (node["operator"] == ">")
        index = node["left"] if holds else node["right"]
    return index


def test_pseudo_rows_are_repaired_and_the_result_says_so(api: Api, made: _Bank) -> None:
    request = {**made.inputs, "max_pseudo_samples": 1_000, "max_depth": 3}
    results = {each: api.made(_TREES, {**request, "method": each}) for each in ("sta", "born_again", "cart")}

    for method, found in results.items():
        assert found["status"] == "ready", found["problem"]
        assert found["result"]["n_implications"] > 0, method
        assert found["result"]["n_leaves_before_merging"] is None
        assert found["result"]["evaluation"]["fidelity"] > 0.75
        assert [node["text"] for node in found["result"]["nodes"] if _AS_A_NUMBER.search(node["text"] or "")] == []


def test_implied_answers_are_not_asked_for(api: Api, tree: Json) -> None:
    nodes, found = tree["result"]["nodes"], tree["result"]["implications"]
    tested = {node["id"]: node["column"] for node in nodes if node["left"] is not None}
    booleans = {each["name"] for each in tree["result"]["features"] if each["type"] == "boolean"}
    path = f"{_TREES}/{tree['id']}/next-question"

    assert all(each["node"] in tested and each["implied_node"] in tested for each in found)
    first = api.post(path, {"answers": {}}).json()
    assert first["question"]["question"] == nodes[0]["question"]
    assert first["question"]["type"] == ("boolean" if tested[0] in booleans else "number")
    of_root = [each for each in found if each["implied_node"] == 0 and tested[each["node"]] in booleans]
    for each in of_root:
        value = each["holds"] == (nodes[each["node"]]["operator"] == ">")
        after = api.post(path, {"answers": {tested[each["node"]]: value}}).json()
        assert after["path"][0] | {"holds": each["implied_holds"]} == after["path"][0]
        assert after["n_asked"] == len({tested[step["id"]] for step in after["path"]} & {tested[each["node"]]})


@pytest.fixture(scope="module")
def explainer(api: Api, made: _Bank, tree: Json) -> Json:
    prototypes = api.made("/v1/prototype-sets", {**made.inputs, "n_prototypes": 4})
    assert prototypes["status"] == "ready", prototypes["problem"]
    request = {"model": made.inputs["model"], "prototype_set": prototypes["id"], "approximation_tree": tree["id"]}
    answer = api.post(_EXPLAINERS, request)
    assert answer.is_success, answer.text
    found: Json = answer.json()
    return found


def test_nested_rows_are_explained_as_the_dataset_s_own_are(api: Api, made: _Bank, explainer: Json) -> None:
    numbers = [0, 7, 31, 200]
    include = ["contrast", "changes", "curves"]
    wanted = {"detail": "full", "include": include, "row_ids": list(map(str, numbers))}
    nested = [nested_instance(made.raw, number) for number in numbers]

    of_rows, of_nested = (
        api.post(f"{_EXPLAINERS}/{explainer['id']}/explanations", {**wanted, **each}).json()["data"]
        for each in ({"dataset": made.inputs["dataset"]}, {"instances": nested})
    )

    assert [row["status"] for row in of_nested] == ["ok"] * 4
    assert of_nested == [without_target(row) for row in of_rows]
    for row in of_nested:
        assert row["changes"]["options"]
        own = [each["value"] for each in row["prediction"]["scores"] if each["label"] == row["prediction"]["label"]]
        assert all(own[0] in [step["score"] for step in curve["steps"]] for curve in row["curves"])
    reasons = [reason for row in of_nested for near in row["nearest_prototypes"] for reason in near["reasons"]]
    differences = [each for row in of_nested for near in row["contrasts"] for each in near["differences"]]
    texts = [each["text"] for each in reasons + differences]
    assert [text for text in texts if _AS_A_NUMBER.search(text)] == []
    assert [text for text in texts if text.startswith("has ")], texts
    assert [each["text"] for each in differences if each["text"].startswith("whether it has ")], texts


def test_examples_sent_as_rows_have_their_primary_keys_as_ids(api: Api, made: _Bank, explainer: Json) -> None:
    first, second = (nested_instance(made.raw, number) for number in (7, 31))
    nameless = {**first, "customer": [{**first["customer"][0], "id": None}], "account": [], "transaction": []}
    path = f"{_EXPLAINERS}/{explainer['id']}/explanations"

    def ids(*instances: Json, **given: Any) -> list[str]:  # a part of the request
        answer = api.post(path, {"instances": list(instances), **given})
        return [row["row_id"] for row in answer.json()["data"]]

    assert ids(first, second) == ["7", "31"]
    assert ids(first, first) == ["0", "1"]
    assert ids(first, nameless) == ["0", "1"]
    assert ids(first, second, row_ids=["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows | {"customer": []}, "customer"),
        (lambda rows: rows | {"person": [{}]}, "person"),
        (lambda rows: rows | {"account": [{**row, "customer_id": 99} for row in rows["account"]]}, "99"),
        (lambda rows: rows | {"account": [*rows["account"], *rows["account"]]}, "key"),
        (lambda rows: rows | {"transaction": [{**row, "amount": "much"} for row in rows["transaction"]]}, "much"),
    ],
)
def test_rows_that_are_not_those_of_one_example_are_refused_by_themselves(
    api: Api,
    made: _Bank,
    explainer: Json,
    change: Any,  # a function of rows
    says: str,
) -> None:
    good = nested_instance(made.raw, 7)

    found = api.post(f"{_EXPLAINERS}/{explainer['id']}/explanations", {"instances": [change(good), good]}).json()[
        "data"
    ]

    assert [row["status"] for row in found] == ["error", "ok"]
    assert found[0]["problem"]["code"] == "schema_mismatch"
    assert says in found[0]["problem"]["detail"]


def test_too_many_rows_at_once_are_refused_with_what_to_do(api: Api, made: _Bank, explainer: Json) -> None:
    instances = [nested_instance(made.raw, 7)] * 101

    answer = api.post(f"{_EXPLAINERS}/{explainer['id']}/explanations", {"instances": instances})

    assert answer.status_code == 413
    assert answer.json()["code"] == "too_many_rows"
    assert "several calls" in answer.json()["detail"]


def test_proximities_and_explanation_sets_take_such_a_model_as_any_other(
    api: Api, made: _Bank, explainer: Json
) -> None:
    proximities = api.made("/v1/proximities", {**made.inputs, "n_neighbors": 3})
    explained = api.made("/v1/explanation-sets", {"explainer": explainer["id"], "dataset": made.inputs["dataset"]})

    assert proximities["result"]["n_rows"] == _N_CUSTOMERS
    assert proximities["result"]["mean_nearest_proximity"] > 0.5
    assert explained["result"]["n_rows"] == _N_CUSTOMERS


def test_label_audits_are_of_the_examples_that_have_a_label(api: Api, made: _Bank) -> None:
    audit = api.made("/v1/label-audits", {**made.inputs, "method": "neighbors", "n_neighbors": 5})

    assert audit["status"] == "ready", audit["problem"]
    assert audit["result"]["n_rows"] == _N_CUSTOMERS - _N_UNLABELLED


@pytest.mark.parametrize("noun", ["rule-sets", "prototype-sets"])
def test_what_is_learned_from_labels_names_an_example_without_one(api: Api, made: _Bank, noun: str) -> None:
    found = api.made(f"/v1/{noun}", {**made.inputs, "labels": "target"})

    assert found["status"] == "failed"
    assert found["problem"]["code"] == "schema_mismatch"
    assert "row_id '0'" in found["problem"]["detail"]
