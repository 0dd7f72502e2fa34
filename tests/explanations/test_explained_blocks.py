"""A block of rows is rendered as single rows are: in lines byte for byte, in tables column by column."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import orjson
import pyarrow as pa
import pytest
from explanations.lines import LineWriter

from explanations.explained_blocks import BlockExplainer, RowBlock
from explanations.explained_rows import explain_instances
from explanations.tables import TableMaker
from schemas.explanations import Explanation, ExplanationRequest
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


def called(
    case: Case,
    n_prototypes: int = 3,
    include: tuple[Literal["contrast", "rules", "approximation_path"], ...] = ("contrast",),
) -> list[bytes]:
    """Return what the hot path answers, row by row."""
    lines = []
    for position, row_id in enumerate(case.rows.row_ids):
        request = ExplanationRequest(
            instances=[case.rows.instance(position)],
            row_ids=[row_id],
            n_prototypes=n_prototypes,
            include=list(include),
        )
        lines += [orjson.dumps(answer) + b"\n" for answer in explain_instances(case.warm, request)]
    return lines


def written(case: Case, n_prototypes: int = 3, *, with_contrast: bool = True) -> list[bytes]:
    explainer = BlockExplainer.build(case.warm, n_prototypes, with_contrast=with_contrast)
    lines: list[bytes] = (
        LineWriter(explainer).write(explainer.explain(case.rows)).to_pybytes().splitlines(keepends=True)
    )
    return lines


@pytest.mark.parametrize(("name", "ensemble"), CASES)
def test_lines_are_byte_for_byte_what_a_call_for_each_row_answers(
    find_case: FindCase, name: str, ensemble: str
) -> None:
    case = find_case(name, ensemble)

    lines = written(case)

    assert lines == called(case)
    rows = [Explanation.model_validate_json(line) for line in lines]
    assert (name in REFUSING) == any(row.status == "error" for row in rows)
    assert any(row.nearest_prototypes for row in rows)


@pytest.mark.parametrize(
    "name",
    ["random_forest_multiclass", "random_forest_regression", "scaled_and_one_hot", "ordinal_categories", "one_matrix"],
)
def test_the_rules_that_hold_are_rendered_as_in_a_call(find_case: FindCase, name: str) -> None:
    case = find_case(name, includes="rules")
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=False, with_rules=True)
    explained = explainer.explain(case.rows)

    lines = LineWriter(explainer).write(explained).to_pybytes().splitlines(keepends=True)

    assert lines == called(case, include=("rules",))
    rendered = [orjson.loads(line) for line in lines]
    ranks = {tuple(rule["rank"] for rule in row["rules"]) for row in rendered if row["status"] == "ok"}
    assert len(ranks) > 1
    assert TableMaker(explainer).make(explained).to_pylist() == [
        _as_columns(row, at) for at, row in enumerate(rendered)
    ]


@pytest.mark.parametrize(
    "name",
    ["random_forest_multiclass", "random_forest_regression", "scaled_and_one_hot", "ordinal_categories", "one_matrix"],
)
def test_paths_in_the_tree_are_rendered_as_in_a_call(find_case: FindCase, name: str) -> None:
    case = find_case(name, includes="tree")
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=False, with_path=True)
    explained = explainer.explain(case.rows)

    lines = LineWriter(explainer).write(explained).to_pybytes().splitlines(keepends=True)

    assert lines == called(case, include=("approximation_path",))
    rendered = [orjson.loads(line) for line in lines]
    explanations = [Explanation.model_validate(row) for row in rendered if row["status"] == "ok"]
    paths = [each.approximation_path for each in explanations if each.approximation_path is not None]
    assert len({path.leaf.id for path in paths}) > 1
    assert {path.agrees for path in paths} <= ({None} if name.endswith("regression") else {True, False})
    assert TableMaker(explainer).make(explained).to_pylist() == [
        _as_columns(row, at) for at, row in enumerate(rendered)
    ]


@pytest.mark.parametrize("n_prototypes", [1, 2, 100])
def test_as_many_prototypes_are_listed_as_are_requested_and_near(find_case: FindCase, n_prototypes: int) -> None:
    case = find_case("random_forest_binary")

    lines = written(case, n_prototypes, with_contrast=False)

    assert lines == called(case, n_prototypes, ())
    n_near = {len(orjson.loads(line).get("nearest_prototypes", [])) for line in lines}
    assert max(n_near) == min(8, n_prototypes)


def test_rows_near_no_prototype_are_unassigned_as_in_a_call(find_case: FindCase) -> None:
    case = find_case("random_forest_binary", n=1)

    lines = written(case)

    assert lines == called(case)
    n_unassigned = sum(b'"unassigned"' in line for line in lines)
    assert 0 < n_unassigned < len(lines)


@pytest.mark.parametrize("shown", [(), ("f7",), ("f22", "f2", "f7")])
def test_what_is_not_shown_in_a_call_is_not_shown_in_a_block(find_case: FindCase, shown: tuple[str, ...]) -> None:
    case = find_case("random_forest_binary", shown=shown)

    lines = written(case)

    assert lines == called(case)
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=True)
    rendered = TableMaker(explainer).make(explainer.explain(case.rows)).to_pylist()
    features = {
        reason["feature"]
        for row in rendered
        for near in row["nearest_prototypes"] or ()
        for reason in near["similar_because"]
    }
    assert features <= set(shown)


@pytest.mark.parametrize(("name", "ensemble"), CASES)
def test_tables_say_what_lines_say_but_for_the_values_of_features(
    find_case: FindCase, name: str, ensemble: str
) -> None:
    case = find_case(name, ensemble)
    explainer = BlockExplainer.build(case.warm, 4, with_contrast=True)
    explained = explainer.explain(case.rows)

    table = TableMaker(explainer).make(explained)

    lines = [orjson.loads(line) for line in LineWriter(explainer).write(explained).to_pybytes().splitlines()]
    assert table.to_pylist() == [_as_columns(line, row) for row, line in enumerate(lines)]


def _as_columns(line: Json, row: int) -> Json:
    problem = line.get("problem", {})
    flat = {"row": row, "row_id": line["row_id"], "status": line["status"]}
    flat |= {"problem_code": problem.get("code"), "problem_detail": problem.get("detail")}
    fields = {
        "prediction": ("label", "value", "scores", "near_tie"),
        "prototype_prediction": ("status", "label", "value", "agrees"),
        "contrast": ("row_id", "label", "proximity"),
    }
    for part, names in fields.items():
        flat |= {f"{part}_{name}": (line.get(part) or {}).get(name) for name in names}
    near = line.get("nearest_prototypes")
    flat["rules"] = line.get("rules")
    path = line.get("approximation_path") or {}
    flat |= {f"approximation_path_{name}": path.get(name) for name in ("agrees", "nodes", "leaf")}
    return {**flat, "nearest_prototypes": None if near is None else [_without_values(each) for each in near]}


def _without_values(near: Json) -> Json:
    rendered = {name: value for name, value in near.items() if name not in {"features", "coverage"}}
    rendered |= {f"coverage_{name}": value for name, value in near["coverage"].items()}
    return {**rendered, "similar_because": [_in_texts(reason) for reason in near["similar_because"]]}


def _in_texts(reason: Json) -> Json:
    """Write categories as texts: a column has one type. Tables have no sentences."""
    category = reason["category"]
    return {
        **{name: value for name, value in reason.items() if name != "text"},
        "category": None if category is None else str(category),
        "excluded_categories": [str(each) for each in reason["excluded_categories"]],
    }


def test_tables_of_all_blocks_have_one_schema(find_case: FindCase) -> None:
    case = find_case("imputed_categories")
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=True)
    maker = TableMaker(explainer)

    # The rows 77 and 78 are refused, both of the second block.
    blocks = [case.rows.part(slice(start, stop)) for start, stop in ((0, 77), (77, 79), (79, 150))]
    tables = [maker.make(explainer.explain(block)) for block in blocks]

    assert len({str(table.schema) for table in tables}) == 1
    assert pa.concat_tables(tables).to_pylist() == maker.make(explainer.explain(case.rows)).to_pylist()


@pytest.mark.parametrize("name", ["random_forest_binary", "imputed_categories"])
def test_rows_are_explained_alike_in_blocks_of_any_size(find_case: FindCase, name: str) -> None:
    case = find_case(name)
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=True)
    writer = LineWriter(explainer)

    for length in (1, 7, 64):
        places = [slice(start, start + length) for start in range(0, len(case.rows), length)]
        blocks = [writer.write(explainer.explain(case.rows.part(place))).to_pybytes() for place in places]
        assert b"".join(blocks) == b"".join(written(case))


def test_what_the_model_says_need_not_be_asked_again(find_case: FindCase) -> None:
    case = find_case("random_forest_multiclass")
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=True)
    accepted = explainer.explain(case.rows).accepted
    rows = RowBlock(
        0,
        [case.rows.row_ids[row] for row in accepted],
        tuple(column[accepted] for column in case.rows.columns),
        case.rows.are_booleans,
    )
    session = case.warm.session
    outcome = session.run(session.encode(Rows(case.warm.features.names, rows.columns)))

    rendered = LineWriter(explainer).write(explainer.explain(rows, outcome)).to_pybytes()

    assert rendered.splitlines(keepends=True) == [line for line in written(case) if b'"status":"ok"' in line]
    flipped = Outcome(outcome.scores, (np.asarray(outcome.labels) + 1) % 3, outcome.leaves)
    assert LineWriter(explainer).write(explainer.explain(rows, flipped)).to_pybytes() != rendered


def test_predictions_for_rows_that_calls_refuse_are_not_shown(find_case: FindCase) -> None:
    case = find_case("scaled_and_one_hot")
    explainer = BlockExplainer.build(case.warm, 3, with_contrast=True)
    session = case.warm.session
    harmless = tuple(column if column.dtype == object else np.clip(column, -1, 1) for column in case.rows.columns)
    known = session.run(session.encode(Rows(case.warm.features.names, harmless)))

    rendered = LineWriter(explainer).write(explainer.explain(case.rows, known)).to_pybytes()

    assert rendered.splitlines(keepends=True) == written(case)


def test_a_column_without_values_fits_any_feature(find_case: FindCase) -> None:
    for name, feature in (("imputed_categories", "age"), ("scaled_and_one_hot", "sex")):
        case = find_case(name)
        position = case.warm.features.names.index(feature)
        as_text, as_number = np.full(len(case.rows), None, dtype=object), np.full(len(case.rows), np.nan)
        columns = list(case.rows.columns)
        one, other = (replace_at(case, columns, position, column) for column in (as_text, as_number))

        assert written(one) == written(other) == called(one)


def replace_at(case: Case, columns: list[Any], position: int, column: Any) -> Case:  # noqa: ANN401  # arrays
    changed = (*columns[:position], column, *columns[position + 1 :])
    return replace(case, rows=replace(case.rows, columns=changed))
