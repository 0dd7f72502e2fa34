"""Evaluations from Python: what they print, what their frames hold, and explainers in a model's place."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from leafspace_client import AsyncLeafspace, Conflict, Evaluation, Invalid, Leafspace
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from tests.support.serving import Service

_RNG = np.random.default_rng(6)
_VALUES = _RNG.normal(size=(600, 3)).astype(np.float32)
_LABELS = np.where(_VALUES[:, 0] + _RNG.normal(0, 0.7, 600) > 0, "bad", "good")
_ROWS = pd.DataFrame(_VALUES, columns=["age", "income", "debt"])
_UNSEEN = _ROWS[300:].assign(label=_LABELS[300:], town=_RNG.choice(["north", "south"], 300))


@pytest.fixture(scope="module")
def made(service: Service) -> Iterator[Evaluation]:
    client = Leafspace(service.url)
    forest = RandomForestClassifier(15, max_depth=4, random_state=0).fit(_ROWS[:300], _LABELS[:300])
    model = client.register_model(forest, _ROWS[:300])
    dataset = client.register_dataset(_UNSEEN, target="label", features=[*_ROWS], held_out=True)
    yield client.evaluations.create(model, dataset, group_by=["town", "age"]).wait()
    client.close()


def test_an_evaluation_prints_what_was_found_and_on_which_rows(made: Evaluation) -> None:
    measured = made.result.classification
    right, balanced = measured.accuracy.share, measured.balanced_accuracy.value

    held = f"300 held-out rows, {right:.1%} right, balanced {balanced:.1%}"
    assert repr(made).startswith(f"Evaluation {made.id} (ready, {held}")
    first, second, *others = str(made).splitlines()
    assert first == made.summary
    assert second.startswith("Measured on 300 rows, which are declared as held out")
    assert others == [f"Caution: {each.detail}." for each in made.result.cautions]


def test_frames_hold_rows_points_and_groups(made: Evaluation, tmp_path: Path) -> None:
    wrong, points, groups = made.to_frame(), made.to_frame("points"), made.to_frame("groups")

    assert list(wrong["row"]) == [row.row for row in made.rows()]
    assert list(wrong["row"][:100]) == [row.row for row in made.wrong_rows]
    assert set(points["outcome"]) == {made.result.positive}
    assert list(points["cutoff"].dropna()) == [point.cutoff for point in made.outcomes[0].points[1:]]
    assert list(groups["column"]) == ["town"] * 2 + ["age"] * 4
    assert groups["errors"].tolist() == [group.errors.share for each in made.groups for group in each.groups]
    assert len(made.to_frame("regions")) == len(made.regions)
    path = made.download(tmp_path / "wrong.parquet")
    assert pd.read_parquet(path)["row_id"].tolist() == wrong["row_id"].tolist()


def test_an_explainer_is_evaluated_as_its_model_is_and_only_known_columns_group(
    client: Leafspace, made: Evaluation
) -> None:
    request = made.details.request
    with pytest.raises(Conflict, match=made.id):
        client.models.delete(request.model)
    prototypes = client.prototype_sets.create(request.model, request.dataset, n_prototypes=2).wait()
    explainer = client.explainers.create(request.model, prototypes)

    again = client.evaluations.create(explainer, request.dataset, group_by=["town", "age"])
    assert again.id == made.id
    assert [each.id for each in client.evaluations.list(model=request.model)] == [made.id]
    with pytest.raises(Invalid, match="no column 'village'"):
        client.evaluations.create(explainer, request.dataset, group_by=["village"])


def test_a_regression_is_evaluated_by_its_errors(service: Service) -> None:
    async def evaluate() -> None:
        forest = RandomForestRegressor(5, max_depth=4, random_state=0).fit(_ROWS[:300], _VALUES[:300, 0])
        async with AsyncLeafspace(service.url) as client:
            model = await client.register_model(forest, _ROWS[:300])
            frame = _ROWS[300:].assign(label=_VALUES[300:, 0])
            dataset = await client.register_dataset(frame, target="label", features=[*_ROWS])
            made = await (await client.evaluations.create(model, dataset)).wait()
            assert repr(made).startswith(f"AsyncEvaluation {made.id} (ready, 300 rows, values off by 0.")
            assert list(made.outcomes) == []
            assert len(await made.rows()) == 300

    asyncio.run(evaluate())
