"""A block of a dataset's rows is rendered as single rows are: lines byte for byte, tables column by column."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa
import pytest

from explanations.explained_rows import explain_instances
from explanations.included_parts import parts_of
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationList, ExplanationRequest
from storage.feature_matching import match_features
from tests.support.odd_rows import model_with_odd_rows
from tests.support.pipelines import PIPELINES
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.rows import Rows
from workers.jobs.explanation_set_blocks import BlockExplainer, RenderedBlock, Tally
from workers.jobs.leaf_tables import LeafTableContent

Json = dict[str, Any]
MATRICES = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression")
CASES = (*MATRICES, *PIPELINES)
REFUSING = set(CASES) - {"ordinal_categories"}  # has neither single numbers nor refuses categories
FEW = ("scaled_and_one_hot", "random_forest_regression")
# What a call answers for rows of each pipeline is tried in tests/explanations.
SOME = [pytest.param(name, marks=[pytest.mark.long] * (name not in {*FEW, "missing_kept"})) for name in CASES]


@dataclass(frozen=True)
class Case:
    """A warm explainer, and rows as pandas holds them and as they are registered."""

    warm: WarmExplainer
    frame: pd.DataFrame
    path: Path
    columns: tuple[str, ...]

    @property
    def row_ids(self) -> list[str]:
        return self.frame["id"].tolist()

    def explainer(self, n_block_rows: int = 1000, **request: object) -> BlockExplainer:
        parts = parts_of(self.warm, ExplanationRequest.model_validate(request))
        return BlockExplainer(self.warm, parts, self.path, self.columns, len(self.frame), n_block_rows, None)

    def called(self, **request: object) -> list[bytes]:
        """Return what calls answer, row by row."""
        wholes = self.frame[list(self.columns)].select_dtypes("integer").columns  # datasets have no numbers but floats
        cells = self.frame[list(self.columns)].astype(dict.fromkeys(wholes, np.float64)).astype(object)
        rows = cells.where(cells.notna(), None).to_numpy().tolist()
        requests = [
            ExplanationRequest.model_validate({"instances": [row], "row_ids": [row_id], **request})
            for row, row_id in zip(rows, self.row_ids, strict=True)
        ]
        return [orjson.dumps(answer) for each in requests for answer in explain_instances(self.warm, each)]


FindCase = Callable[..., Case]


@pytest.fixture(scope="module")
def find_case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FindCase]:
    """Return a function that returns the case of a fitted model or pipeline by its name."""
    with workshop_in(tmp_path_factory.mktemp("cases")) as workshop:
        yield functools.cache(functools.partial(_case, workshop))


def _case(workshop: Workshop, name: str, *, has_rules_and_tree: bool = False) -> Case:
    onnx, frame, rows = model_with_odd_rows(name)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    about = {"model": model, "dataset": workshop.register_dataset(frame, target="t")}
    parts: dict[str, object] = {"prototype_set": workshop.make(**about, n_prototypes=8).id}
    if has_rules_and_tree:
        parts["rule_set"] = workshop.find_rules(**about, n_restarts=1).id
        parts["approximation_tree"] = workshop.grow_tree(**about, max_depth=3, max_pseudo_samples=1000).id
    explainer = workshop.register_explainer(model=model, **parts)
    context = workshop.context
    stored = context.datasets.get(workshop.register_dataset(rows, row_id="id"))
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    return Case(warm, rows, context.objects.path(stored.content), match_features(warm.model, stored.view))


def _lines(block: RenderedBlock) -> list[bytes]:
    with pa.CompressedInputStream(pa.BufferReader(block.lines), "zstd") as lines:
        text: bytes = lines.read()
    assert len(text) == block.n_line_bytes
    return text.splitlines()


@pytest.mark.parametrize("name", mostly_long(CASES, FEW[0]))
def test_lines_are_byte_for_byte_what_a_call_for_each_row_answers(find_case: FindCase, name: str) -> None:
    case = find_case(name)

    lines = _lines(case.explainer(include=["values", "contrast"], n_prototypes=4).explain(0))

    assert lines == case.called(include=["values", "contrast"], n_prototypes=4)
    rows = [orjson.loads(line) for line in lines]
    assert [row["row_id"] for row in rows] == case.row_ids
    assert (name in REFUSING) == any(row["status"] == "error" for row in rows)


@pytest.mark.parametrize("name", FEW[:1])
def test_everything_that_an_explainer_has_is_in_a_line(find_case: FindCase, name: str) -> None:
    case = find_case(name, has_rules_and_tree=True)

    lines = _lines(case.explainer(detail="full").explain(0))

    assert lines == case.called(detail="full")
    explained = [row for row in map(orjson.loads, lines) if row["status"] == "ok"]
    assert all({"rules", "approximation_path", "values"} <= set(row) for row in explained)
    assert ExplanationList.model_validate(
        {"explainer": "xpl_1", "data": [*map(orjson.loads, lines)], "provenance": case.warm.provenance}
    )


@pytest.mark.parametrize("name", FEW)
def test_blocks_of_any_size_make_the_same(find_case: FindCase, name: str) -> None:
    case = find_case(name)
    whole = case.explainer().explain(0)

    for n_block_rows in (1, 7, 59):
        explainer = case.explainer(n_block_rows)
        # Other processes return them in pieces.
        blocks = [
            RenderedBlock.of_parts([*map(bytes, explainer.explain(block).parts())])
            for block in range(explainer.n_blocks)
        ]
        assert [line for block in blocks for line in _lines(block)] == _lines(whole)
        assert len({str(block.table.schema) for block in blocks}) == 1
        assert pa.concat_tables([block.table for block in blocks]).to_pylist() == whole.table.to_pylist()
        np.testing.assert_array_equal(np.concatenate([block.outcome.leaves for block in blocks]), whole.outcome.leaves)
        np.testing.assert_array_equal(np.concatenate([block.outcome.scores for block in blocks]), whole.outcome.scores)
        tally = Tally()
        for block in blocks:
            tally.add(block.tally)
        assert replace(tally, proximity=0) == replace(whole.tally, proximity=0)
        assert tally.proximity == pytest.approx(whole.tally.proximity)


@pytest.mark.parametrize("name", FEW)
def test_the_table_says_of_the_nearest_prototype_what_the_lines_say(find_case: FindCase, name: str) -> None:
    case = find_case(name)

    block = case.explainer().explain(0)

    expected = [_as_columns(orjson.loads(line), row) for row, line in enumerate(_lines(block))]
    found = block.table.to_pylist()
    assert [{key: value for key, value in row.items() if value is not None} for row in found] == expected
    assert {row["status"] for row in found} == {"ok", "error"}
    assert ("value" in found[0]) == name.endswith("regression") == ("label" not in found[0])


def _as_columns(line: Json, row: int) -> Json:
    """Return what a row of the table has beside nulls."""
    flat = {"row": row, "row_id": line["row_id"], "status": line["status"]}
    if line["status"] == "error":
        return flat | {f"problem_{name}": line["problem"][name] for name in ("code", "detail")}
    prediction, nearest = line["prediction"], line["nearest_prototypes"]
    flat |= {name: line[name] for name in ("summary", "warnings")}
    flat |= {name: prediction[name] for name in ("label", "value", "scores") if name in prediction}
    if "label" in prediction:
        flat["score"] = {score["label"]: score["value"] for score in prediction["scores"]}[prediction["label"]]
    flat |= {f"typicality_{name}": value for name, value in line.get("typicality", {}).items()}
    flat["reasons"] = [_in_texts(reason) for reason in nearest[0]["reasons"]] if nearest else []
    if nearest:
        flat |= {f"prototype_{name}": nearest[0][name] for name in ("row_id", "label", "value") if name in nearest[0]}
        flat["proximity"] = nearest[0]["proximity"]
    if "decision" in line:
        flat |= {"outcome": line["decision"]["outcome"], "decision_score": line["decision"]["score"]}
    if "effects" in line:
        effects = line["effects"]
        names = ("feature", "effect", "points")
        flat["effects"] = [{name: each.get(name) for name in names} for each in effects["features"]]
        flat |= {f"effects_{name}": effects[name] for name in ("of", "scale", "score") if name in effects}
        flat |= {"other_effects": effects["rest"]["effect"]}
        named = {f"reference_{name}": value for name, value in effects["reference"].items()}
        flat |= {name: named[name] for name in named if name.split("_", 1)[1] in {"kind", "row_id", "outcome", "score"}}
    return flat


def _in_texts(reason: Json) -> Json:
    """Write values as texts: a column has one type."""
    texts = {}
    for name in ("value", "prototype_value"):
        value = reason.get(name)
        texts[name] = value if isinstance(value, str) else None if value is None else orjson.dumps(value).decode()
    return {**reason, **texts}


def test_what_the_model_says_is_not_asked_again_where_it_is_known(find_case: FindCase) -> None:
    case = find_case("random_forest_multiclass")
    rows = [row for row in range(len(case.frame)) if row not in {7, 8, 59}]
    known, lines = case.explainer().explain(0).outcome, _lines(case.explainer().explain(0))
    content = LeafTableContent(_spread(known.leaves, rows).T, _spread(known.scores, rows), _spread(known.labels, rows))

    first = replace(case.explainer(7), leaf_table=content)
    flipped = replace(first, leaf_table=replace(content, labels=(np.asarray(content.labels) + 1) % 3))

    assert _lines(first.explain(0)) == lines[:7]
    assert _lines(flipped.explain(0)) != lines[:7]


def _spread(values: Any, rows: list[int]) -> Any:  # arrays
    """Return what is known of some rows as of all rows."""
    spread = np.zeros((rows[-1] + 2, *values.shape[1:]), dtype=values.dtype)
    spread[rows] = values
    return spread


def test_the_outcome_is_the_models(find_case: FindCase) -> None:
    case = find_case("random_forest_binary")
    block = case.explainer(3).explain(0)

    numbers = [np.array(case.frame[name][:3], dtype=np.float64) for name in case.columns]
    session = case.warm.session
    expected: Outcome = session.run(session.encode(Rows(case.warm.features.names, tuple(numbers))))

    np.testing.assert_array_equal(block.outcome.leaves, expected.leaves)
    np.testing.assert_array_equal(block.outcome.labels, expected.labels)
