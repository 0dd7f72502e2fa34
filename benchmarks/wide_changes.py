"""Where the seconds go in which the changes of a wide row are searched: of one feature, and of pairs of features.

A RandomForestClassifier of 100 trees on 2,000 rows of 600 numbers, of which 40 count; five rows, the wished outcome the
other class, the limits of the service. ``one``: processor seconds for a row whose changes of one feature are searched,
as the page does at first for wide models; ``two``: those of one and of two features; ``share``: of the latter in which
pairs are searched; ``view``: processor seconds of the page's view of a row, from its address to its HTML, on a warm
service. Medians; the ratio does not depend on how slow the machine is meanwhile.
``python -m benchmarks.wide_changes [numbers of features, by commas]``
"""

import asyncio
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks.machine import describe_machine
from explanations.changes import search_limits
from schemas.explanation_sets import MAX_CHANGED_FEATURES
from service.drawings.explanations import RowToExplain
from service.operations.explanations import explain
from tests.support.models import onnx_of, rows_of_matrix
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.changes.curves import CurveModel
from tree_explainers.changes.smallest_changes import ChangeSearch
from tree_explainers.changes.wishes import ClassWish
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.rows import Rows

_N_ROWS, _N_THAT_COUNT, _N_TREES, _N_SEARCHED = 2_000, 40, 100, 5


def main() -> None:
    """Print a line for each number of features."""
    print(describe_machine())
    print("features      one      two    share     view")
    for n_features in map(int, sys.argv[1].split(",") if len(sys.argv) > 1 else ("60", "600")):
        forest, matrix, labels = _forest(n_features)
        one, two = seconds_of(forest, matrix)
        with TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
            view = seconds_of_view(workshop, forest, matrix, labels)
        print(f"{n_features:8,} {one:7.3f}s {two:7.3f}s {1 - one / two:7.0%} {view:7.3f}s", flush=True)


def _forest(n_features: int) -> tuple[RandomForestClassifier, NDArray[np.float32], NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(_N_ROWS, n_features)).astype(np.float32)
    labels = (matrix[:, :_N_THAT_COUNT].sum(axis=1) > 0).astype(np.int64)
    return RandomForestClassifier(_N_TREES, random_state=0).fit(matrix, labels), matrix, labels


def seconds_of(forest: RandomForestClassifier, matrix: NDArray[np.float32]) -> tuple[float, float]:
    """Return the median seconds in which a row's changes of one feature are searched, and of one and two."""
    rows = rows_of_matrix(matrix)
    read = read_model(onnx_of(forest, matrix), DeclaredModel(feature_names=rows.names), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)
    inputs = TreeInputs(read.description, read.ensemble, read.for_walker)
    search = ChangeSearch(CurveModel.of(session, inputs, rows), rows)
    seconds = [
        [
            _seconds(search, rows.take(slice(row, row + 1)), read.description.rounding, most)
            for row in range(_N_SEARCHED + 1)
        ][1:]
        for most in (1, MAX_CHANGED_FEATURES)
    ]
    one, two = map(median, seconds)
    return one, two


def _seconds(search: ChangeSearch, row: Rows, rounding: float, max_features: int) -> float:
    predicted = search.model.session.predict(row).labels
    assert predicted is not None
    begun = time.process_time()
    search.find(row, ClassWish(1 - int(predicted[0]), rounding), limits=search_limits(max_features))
    return time.process_time() - begun


def seconds_of_view(
    workshop: Workshop, forest: RandomForestClassifier, matrix: NDArray[np.float32], labels: NDArray[np.int64]
) -> float:
    """Return the median processor seconds of the page's view of a row, on a warm service."""
    names = [f"measure {index}" for index in range(matrix.shape[1])]
    model = workshop.register_model(onnx_of(forest, matrix), feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(pd.DataFrame(matrix, columns=names).assign(label=labels), target="label")
    prototypes = workshop.make(model=model, dataset=dataset, n_prototypes=12)
    explainer = workshop.register_explainer(model=model, prototype_set=prototypes.id)

    def seconds(row: int) -> float:
        begun = time.process_time()
        found = RowToExplain.find(workshop.context, explainer, str(row), {})
        found.draw(asyncio.run(explain(workshop.context, explainer, found.request)), None, 0)
        return time.process_time() - begun

    return median([seconds(row) for row in range(_N_SEARCHED + 2)][2:])


if __name__ == "__main__":
    main()
