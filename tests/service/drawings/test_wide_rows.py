"""The view of a row of a wide model: small, and changes of several features are searched where that is asked for."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from service.drawings.documents import VIEWS
from service.drawings.explanations import RowToExplain
from service.operations.explanations import explain
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in

_N_FEATURES, _N_ROWS = 600, 120
_MOST_BYTES = 300_000  # of a view


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(Path(tmp_path_factory.mktemp("wide"))) as workshop:
        yield workshop


@pytest.fixture(scope="module")
def explainer(workshop: Workshop) -> dict[str, str]:
    """Register a forest of ten classes and 600 features with long names, and what explains it."""
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(_N_ROWS, _N_FEATURES)).astype(np.float32)
    labels = np.digitize(matrix[:, :5].sum(axis=1), np.linspace(-3, 3, 9)).astype(str)
    names = [f"measurement of a very long name that nobody shortened, number {number}" for number in range(_N_FEATURES)]
    forest = RandomForestClassifier(20, max_depth=6, random_state=0).fit(matrix, labels)
    model = workshop.register_model(onnx_of(forest, matrix), feature_names=names, ensemble="random_forest")
    frame = pd.DataFrame(matrix, columns=names).assign(t=labels)
    dataset = workshop.register_dataset(frame, target="t")
    made = workshop.make(model=model, dataset=dataset, n_prototypes=12)
    evaluation = workshop.evaluate(model=model, dataset=dataset)
    audit = workshop.audit(model=model, dataset=dataset)
    return {
        "models": model,
        "datasets": dataset,
        "prototypes": made.id,
        "evaluations": evaluation.id,
        "audits": audit.id,
        "explainers": workshop.register_explainer(model=model, prototype_set=made.id),
    }


def _row(workshop: Workshop, explainer: str, *, with_pairs: bool) -> str:
    row = RowToExplain.find(workshop.context, explainer, "3", {}, with_pairs=with_pairs)
    return row.draw(asyncio.run(explain(workshop.context, explainer, row.request)), None, 0)


def test_pairs_of_a_wide_model_are_searched_where_the_address_asks_for_them(
    workshop: Workshop, explainer: dict[str, str]
) -> None:
    brief, whole = (_row(workshop, explainer["explainers"], with_pairs=asked) for asked in (False, True))
    link = re.search(r'href="([^"]*)">Search changes of several features, too', brief)
    assert link is not None
    assert link[1].endswith("rows/3?pairs=1")
    assert "Changes of one feature alone were searched." in brief
    assert "one or two features" not in brief
    assert "Search changes of several" not in whole
    assert re.search(r"[\d,]+ pairs of features were not searched", whole)
    for drawn in (brief, whole):
        assert len(drawn.encode()) < _MOST_BYTES


def test_views_of_a_wide_model_of_ten_classes_with_long_names_are_small(
    workshop: Workshop, explainer: dict[str, str]
) -> None:
    sizes = {part: len(VIEWS[part](workshop.context, each, {}).encode()) for part, each in explainer.items()}
    assert {part: size for part, size in sizes.items() if size >= _MOST_BYTES} == {}
