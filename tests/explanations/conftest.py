"""Warm explainers of real models on real data, each with rows of which the model refuses some."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from explanations.dataset_rows import DatasetRows
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.models import Instance
from storage.dataset_files import DatasetFile
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.workshop import Workshop, workshop_in


@dataclass(frozen=True)
class Case:
    """A warm explainer and rows to explain."""

    warm: WarmExplainer
    rows: list[Instance]  # as callers send them


FindCase = Callable[..., Case]


@pytest.fixture(scope="session")
def find_case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FindCase]:
    """Return a function that returns the case of a fitted model or pipeline by its name."""
    with workshop_in(tmp_path_factory.mktemp("cases")) as workshop:
        yield functools.cache(functools.partial(_case, workshop))


def _case(
    workshop: Workshop,
    name: str,
    ensemble: str = "random_forest",
    shown: tuple[str, ...] | None = None,
    n: int = 8,
    includes: str = "",
) -> Case:
    onnx, frame, rows = _pipeline(name) if name in PIPELINES else _matrix(name)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble=ensemble)
    dataset = workshop.register_dataset(frame, target="t")
    made = workshop.make(model=model, dataset=dataset, n_prototypes=n)
    assert made.status == "ready", made.problem
    features = "all" if shown is None else list(shown)
    rule_set_id = workshop.find_rules(model=model, dataset=dataset, n_restarts=4).id if includes == "rules" else None
    tree = (
        workshop.grow_tree(model=model, dataset=dataset, max_depth=3, max_pseudo_samples=2000).id
        if includes == "tree"
        else None
    )
    explainer = workshop.register_explainer(
        model=model, prototype_set=made.id, rule_set=rule_set_id, approximation_tree=tree, shown_features=features
    )
    context = workshop.context
    content = context.datasets.get(workshop.register_dataset(rows, row_id="id")).content
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    return Case(warm, _instances(context.objects.path(content), names))


def _matrix(name: str) -> tuple[bytes, pd.DataFrame, pd.DataFrame]:
    """Return a model, its rows, and rows with missing, whole, boolean and far too large numbers among them."""
    model = fitted(name)
    frame = frame_of(model)
    rows = frame.drop(columns="t").head(120).copy()
    rows.loc[[3, 50], "f1"] = np.nan
    rows.loc[[7, 8, 119], "f0"] = 3.5e38
    rows["f2"] = rows["f2"] > rows["f2"].median()
    rows["f3"] = rows["f3"].round()
    rows.insert(0, "id", [f'row "{row}", é' for row in range(len(rows))])
    return model.onnx, frame, rows


def _pipeline(name: str) -> tuple[bytes, pd.DataFrame, pd.DataFrame]:
    """Return a pipeline, its rows, and rows with unknown categories and far too large numbers among them."""
    table = PIPELINES[name]()[1]
    frame = table.features.assign(t=table.target)
    rows = table.features.head(150).copy()
    texts = [column for column in rows.columns if rows[column].dtype == object]
    numbers = [column for column in rows.columns if rows[column].dtype.kind == "f"]
    for column in texts:
        rows.loc[[5, 149], column] = 'never "seen"'
    rows = rows.astype(dict.fromkeys(numbers, np.float64))
    for column in numbers:
        rows.loc[[0, 77, 78], column] = -1e300
    rows.insert(0, "id", [f"{row},{row}" for row in range(len(rows))])
    return fitted_pipeline(name).onnx, frame, rows


def _instances(path: Path, names: list[str]) -> list[Instance]:
    with DatasetFile(path) as file:
        return DatasetRows(file, names).read(range(file.n_rows))[0]
