"""A block of rows is rendered in tables column by column as single rows are explained."""

from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pytest

from explanations.explained_blocks import BlockExplainer, RowBlock
from explanations.explained_rows import explain_instances
from explanations.tables import TableMaker
from schemas.explanations import ExplanationList, ExplanationRequest
from tests.support.pipelines import PIPELINES
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.rows import Rows

from .conftest import Case, FindCase

Json = dict[str, Any]
MATRICES = (
    ("random_forest_binary", "random_forest"),
    ("random_forest_multiclass", "random_forest"),
    ("random_forest_regression", "random_forest"),
    ("gradient_boosting_multiclass", "boosting"),
    ("bagging_of_features_regression", "random_forest"),
)
CASES = (*MATRICES, *((name, "random_forest") for name in PIPELINES))
REFUSING = {name for name, _ in CASES} - {"ordinal_categories"}  # has neither single numbers nor refuses categories


def called(case: Case, n_prototypes: int = 3) -> list[Json]:
    """Return what single calls answer, with everything that the explainer has."""
    return [
        explanation
        for position, row_id in enumerate(case.rows.row_ids)
        for explanation in orjson.loads(
            orjson.dumps(
                explain_instances(
                    case.warm,
                    ExplanationRequest(
                        instances=[case.rows.instance(position)],
                        row_ids=[row_id],
                        n_prototypes=n_prototypes,
                        detail="full",
                    ),
                )
            )
        )
    ]


def explainer_of(case: Case, n_prototypes: int = 3) -> BlockExplainer:
    return BlockExplainer.build(case.warm, n_prototypes, with_contrast=True, with_rules=True, with_path=True)


def table_of(case: Case, n_prototypes: int = 3) -> list[Json]:
    explainer = explainer_of(case, n_prototypes)
    rows: list[Json] = TableMaker(explainer).make(explainer.explain(case.rows)).to_pylist()
    return rows


@pytest.mark.parametrize(("name", "ensemble"), CASES)
def test_tables_have_what_calls_answer_but_for_the_values_of_features(
    find_case: FindCase, name: str, ensemble: str
) -> None:
    case = find_case(name, ensemble)

    rows = called(case)

    ExplanationList.model_validate({"explainer": "x", "data": rows, "provenance": case.warm.provenance})
    assert (name in REFUSING) == any(row["status"] == "error" for row in rows)
    assert any(row.get("nearest_prototypes") for row in rows)
    assert table_of(case) == [_as_columns(row, at) for at, row in enumerate(rows)]


@pytest.mark.parametrize("includes", ["rules", "tree"])
@pytest.mark.parametrize(
    "name",
    ["random_forest_multiclass", "random_forest_regression", "scaled_and_one_hot", "ordinal_categories", "one_matrix"],
)
def test_rules_and_paths_are_rendered_as_in_a_call(find_case: FindCase, name: str, includes: str) -> None:
    case = find_case(name, includes=includes)

    rows = called(case)

    explained = [row for row in rows if row["status"] == "ok"]
    ranks = {tuple(rule["rank"] for rule in row.get("rules", [])) for row in explained}
    leaves = {row["approximation_path"]["leaf"]["id"] for row in explained if "approximation_path" in row}
    assert len(ranks if includes == "rules" else leaves) > 1
    assert table_of(case) == [_as_columns(row, at) for at, row in enumerate(rows)]


@pytest.mark.parametrize("n_prototypes", [1, 2, 100])
def test_as_many_prototypes_are_listed_as_are_requested_and_near(find_case: FindCase, n_prototypes: int) -> None:
    case = find_case("random_forest_binary")

    rows = called(case, n_prototypes)

    assert table_of(case, n_prototypes) == [_as_columns(row, at) for at, row in enumerate(rows)]
    assert max(len(row.get("nearest_prototypes", [])) for row in rows) == min(8, n_prototypes)


def test_rows_near_no_prototype_are_unassigned_as_in_a_call(find_case: FindCase) -> None:
    case = find_case("random_forest_binary", n=1)

    rows = called(case)

    assert table_of(case) == [_as_columns(row, at) for at, row in enumerate(rows)]
    assert 0 < sum(row.get("nearest_prototypes") == [] for row in rows) < len(rows)


@pytest.mark.parametrize("shown", [(), ("f7",), ("f22", "f2", "f7")])
def test_what_is_not_shown_in_a_call_is_not_shown_in_a_block(find_case: FindCase, shown: tuple[str, ...]) -> None:
    case = find_case("random_forest_binary", shown=shown)

    table = table_of(case)

    assert table == [_as_columns(row, at) for at, row in enumerate(called(case))]
    features = {
        reason["feature"]
        for row in table
        for near in row["nearest_prototypes"] or ()
        for reason in near["similar_because"]
    }
    assert features <= set(shown)


def _as_columns(line: Json, row: int) -> Json:
    problem, prediction = line.get("problem", {}), line.get("prediction")
    flat = {"row": row, "row_id": line["row_id"], "status": line["status"]}
    flat |= {"problem_code": problem.get("code"), "problem_detail": problem.get("detail")}
    flat |= {f"prediction_{name}": (prediction or {}).get(name) for name in ("label", "value")}
    flat["prediction_scores"] = prediction and prediction.get("scores", [])
    flat["prediction_near_tie"] = prediction and prediction.get("near_tie", False)
    near = line.get("nearest_prototypes")
    own = line.get("prototype_prediction", {})
    flat["prototype_prediction_status"] = prediction and ("assigned" if near else "unassigned")
    flat |= {f"prototype_prediction_{name}": own.get(name) for name in ("label", "value", "agrees")}
    contrast: Json = next(iter(line.get("contrasts", [])), {})
    flat |= {f"contrast_{name}": contrast.get(name) for name in ("row_id", "label", "proximity")}
    flat["rules"] = line.get("rules")
    path = line.get("approximation_path") or {}
    flat |= {f"approximation_path_{name}": path.get(name) for name in ("agrees", "nodes", "leaf")}
    return {**flat, "nearest_prototypes": None if near is None else [_without_values(each) for each in near]}


def _without_values(near: Json) -> Json:
    rendered: Json = {"label": None, "value": None} | near
    coverage, reasons = rendered.pop("coverage"), rendered.pop("reasons")
    rendered |= {f"coverage_{name}": value for name, value in coverage.items()}
    return {**rendered, "similar_because": [_in_columns(reason) for reason in reasons]}


def _in_columns(reason: Json) -> Json:
    """Write categories as texts: a column has one type. Tables have no sentences."""
    interval = reason["interval"]
    flags = ("low_inclusive", "high_inclusive", "or_missing", "is_missing", "transformed")
    return {
        "feature": reason["feature"],
        "share_of_trees": reason["share_of_trees"],
        "low": interval.get("low"),
        "high": interval.get("high"),
        **{name: interval.get(name, False) for name in flags},
        "exact": interval.get("exact", True),
        "category": str(interval["category"]) if "category" in interval else None,
        "excluded_categories": [str(each) for each in interval.get("excluded_categories", [])],
    }


def test_tables_of_all_blocks_have_one_schema(find_case: FindCase) -> None:
    case = find_case("imputed_categories")
    explainer = explainer_of(case)
    maker = TableMaker(explainer)

    # The rows 77 and 78 are refused, both of the second block.
    blocks = [case.rows.part(slice(start, stop)) for start, stop in ((0, 77), (77, 79), (79, 150))]
    tables = [maker.make(explainer.explain(block)) for block in blocks]

    assert len({str(table.schema) for table in tables}) == 1
    assert pa.concat_tables(tables).to_pylist() == maker.make(explainer.explain(case.rows)).to_pylist()


def test_what_the_model_says_need_not_be_asked_again(find_case: FindCase) -> None:
    case = find_case("random_forest_multiclass")
    explainer = explainer_of(case)
    accepted = explainer.explain(case.rows).accepted
    rows = RowBlock(
        0,
        [case.rows.row_ids[row] for row in accepted],
        tuple(column[accepted] for column in case.rows.columns),
        case.rows.are_booleans,
    )
    session = case.warm.session
    outcome = session.run(session.encode(Rows(case.warm.features.names, rows.columns)))
    maker = TableMaker(explainer)

    table = maker.make(explainer.explain(rows, outcome))

    expected = maker.make(explainer.explain(case.rows)).drop_columns("row").to_pylist()
    assert table.drop_columns("row").to_pylist() == [row for row in expected if row["status"] == "ok"]
    flipped = Outcome(outcome.scores, (np.asarray(outcome.labels) + 1) % 3, outcome.leaves)
    assert maker.make(explainer.explain(rows, flipped)) != table


def test_predictions_for_rows_that_calls_refuse_are_not_shown(find_case: FindCase) -> None:
    case = find_case("scaled_and_one_hot")
    explainer = explainer_of(case)
    session = case.warm.session
    harmless = tuple(column if column.dtype == object else np.clip(column, -1, 1) for column in case.rows.columns)
    known = session.run(session.encode(Rows(case.warm.features.names, harmless)))

    rendered = TableMaker(explainer).make(explainer.explain(case.rows, known)).to_pylist()

    assert rendered == table_of(case)
