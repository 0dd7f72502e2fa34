"""What a call of explanations takes is estimated before it is done: seconds of a processor, and bytes of its answer."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from schemas.explanations import ExplanationRequest
from service.app_context import AppContext
from service.operations import explanations
from service.operations.explained_calls import explain_rows
from service.operations.explanation_size import ExplanationSize
from service.operations.explanations import cost_of, find_warm
from storage.errors import StorageError
from tests.support.workshop import workshop_in

_N_ROWS, _N_FEATURES = 2000, 20
_GROUPED = {"n_rows": 100, "max_per_group": 1, "group_by": "f0"}


@dataclass(frozen=True)
class _Wide:
    context: AppContext
    explainer: str
    rows: list[list[float]]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Wide]:
    """Yield an explainer of deep trees, with many prototypes and reference rows."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(_N_ROWS, _N_FEATURES)).astype(np.float32)
    labels = (rows[:, 0] + rows[:, 1] * rows[:, 2] + rng.normal(size=_N_ROWS) > 0).astype(int)
    forest = RandomForestClassifier(20, max_depth=10, random_state=0).fit(rows, labels)
    names = [f"f{number}" for number in range(_N_FEATURES)]
    onnx = to_onnx(forest, rows[:1], options={"zipmap": False}).SerializeToString()
    directory: Path = tmp_path_factory.mktemp("wide")
    with workshop_in(directory) as workshop:
        model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
        frame = pd.DataFrame(rows.astype(float), columns=names).assign(t=labels)
        dataset = workshop.register_dataset(frame, target="t")
        made = workshop.make(model=model, dataset=dataset, n_prototypes=100)
        explainer = workshop.register_explainer(model=model, prototype_set=made.id)
        yield _Wide(workshop.context, explainer, rows.astype(float).tolist())


@pytest.mark.parametrize(
    ("n_rows", "wanted"),
    [
        (200, {}),
        (100, {"include": ["nearest_rows"], "nearest_rows": {"n_rows": 5}}),
        (40, {"include": ["nearest_rows"], "nearest_rows": {"n_rows": 100}}),
        (40, {"include": ["nearest_rows"], "nearest_rows": _GROUPED}),
        (20, {"detail": "full", "n_prototypes": 100, "nearest_rows": {"n_rows": 100}}),
        (40, {"include": ["values"], "n_prototypes": 100, "n_reasons": 0}),
        (40, {"n_prototypes": 100, "n_reasons": "all", "include": ["contrast"]}),
        (40, {"reference": "all"}),
    ],
)
@pytest.mark.sampled("thirds")
def test_an_estimate_is_not_far_from_what_a_call_takes(wide: _Wide, n_rows: int, wanted: dict[str, Any]) -> None:
    request = ExplanationRequest.model_validate({"instances": wide.rows[:n_rows], **wanted})
    warm = asyncio.run(find_warm(wide.context, wide.explainer))
    explain_rows(warm, request)  # files are open then, and loops compiled

    cost = asyncio.run(cost_of(warm, request, ExplanationSize.of(warm, request)))
    began = time.process_time()
    answer = explain_rows(warm, request)
    seconds = time.process_time() - began

    assert seconds / 4 < cost.seconds < 12 * seconds
    assert len(answer) < cost.n_bytes < 8 * len(answer)


def test_more_rows_than_a_call_has_time_to_compare_with_many_are_refused(
    wide: _Wide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanations, "_MOST_EFFECT_SECONDS", 1e-6)
    warm = asyncio.run(find_warm(wide.context, wide.explainer))
    for n_rows, reference in ((2, "contrast"), (1, "all"), (2, "all")):
        request = ExplanationRequest.model_validate({"instances": wide.rows[:n_rows], "reference": reference})
        if (n_rows, reference) != (2, "all"):
            asyncio.run(cost_of(warm, request, ExplanationSize.of(warm, request)))
            continue
        with pytest.raises(StorageError, match=f"2 rows compared with {_N_ROWS} rows each take") as refused:
            asyncio.run(cost_of(warm, request, ExplanationSize.of(warm, request)))
        assert (refused.value.code, refused.value.pointer) == ("too_many_rows", "/reference")
