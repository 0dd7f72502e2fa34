"""Warm explainers of real models on real data, each with rows of which the model refuses some."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from explanations.dataset_rows import DatasetRows
from explanations.warm_explainer import WarmExplainer, warm_up
from storage.dataset_files import DatasetFile
from tests.support.additive_effects import effects_add_up
from tests.support.odd_rows import model_with_odd_rows
from tests.support.workshop import Workshop, workshop_in

__all__ = ["effects_add_up"]


@dataclass(frozen=True)
class Case:
    """A warm explainer and rows to explain."""

    warm: WarmExplainer
    rows: list[Any]  # as callers send them: lists, in the order of the features


FindCase = Callable[..., Case]


@pytest.fixture(scope="session")
def find_case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FindCase]:
    """Return a function that returns the case of a fitted model or pipeline by its name and kind of ensemble."""
    with workshop_in(tmp_path_factory.mktemp("cases")) as workshop:
        yield functools.cache(functools.partial(_case, workshop))


def _case(workshop: Workshop, name: str, ensemble: str = "random_forest") -> Case:
    onnx, frame, rows = model_with_odd_rows(name)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble=ensemble)
    made = workshop.make(model=model, dataset=workshop.register_dataset(frame, target="t"), n_prototypes=8)
    assert made.status == "ready", made.problem
    explainer = workshop.register_explainer(model=model, prototype_set=made.id)
    context = workshop.context
    content = context.datasets.get(workshop.register_dataset(rows, row_id="id")).content
    with DatasetFile(context.objects.path(content)) as file:
        instances, _ = DatasetRows(file, names).read(range(file.n_rows))
    return Case(warm_up(explainer, context.database, context.objects, context.sessions.get), instances)
