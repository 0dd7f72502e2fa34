"""Effects: exact Shapley values of a row against one reference case, and against many; ours beside shap and woodelf.

200 trees on the adult data (categories as numbers, so that all three read the same matrix): LightGBM of depth 6, a
random forest of depth 6, and one with leaves of 5 rows. Nobody has more than one thread; seconds are of the processor,
as others use the machine, too; ways take turns, and of each the fastest of three runs counts. Ours is exact by all
coalitions in the tests; here the largest difference to the others is printed, and by how much each misses the
difference of scores in float64.

- one row a call, one reference: as a service does; and 500 rows in one call.
- 1,000 rows against 1,000 reference rows. shap's explainer takes at most 100 without being told otherwise; it runs for
  4 rows, and its time is multiplied by 250. woodelf's effects are of the first class for forests, so that their sign is
  turned. The deep forest is left out.

``python -m benchmarks.effects``
"""

import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.metadata import version
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client.conversion import convert_model
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import rows_of_matrix
from tests.support.shared import shared_path
from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.prototype_sets.leaf_paths import path_arrays

from .machine import describe_machine

N_TREES, N_TRAINED, N_ROWS, N_IN_ONE_CALL, N_CALLS, N_BY_SHAP = 200, 20_000, 1_000, 500, 100, 4
N_ROUNDS = 3
DEEPEST_OF_MANY = 8

Matrix = NDArray[np.float64]
Model = Any  # neither library ships types


def main() -> None:
    """Fit three models, and print what each way takes."""
    warnings.simplefilter("ignore")
    libraries = ", ".join(f"{name} {version(name)}" for name in ("shap", "woodelf_explainer", "lightgbm"))
    print(f"{describe_machine()}, {libraries}")
    features, target = _adult()
    models = {
        "LightGBM, depth 6": LGBMClassifier(n_estimators=N_TREES, max_depth=6, num_leaves=63, verbose=-1, n_jobs=1),
        "random forest, depth 6": RandomForestClassifier(N_TREES, max_depth=6, random_state=0),
        "random forest, leaves of 5 rows": RandomForestClassifier(N_TREES, min_samples_leaf=5, random_state=0),
    }
    for name, model in models.items():
        model.fit(features[:N_TRAINED], target[:N_TRAINED])
        print(f"\n{name}")
        _compare(model, features[N_TRAINED : N_TRAINED + 2 * N_ROWS])


def _adult() -> tuple[Matrix, NDArray[Any]]:
    frame = pd.read_parquet(shared_path("data/adult.parquet"))
    target = (frame.pop("income").astype(str) == ">50K").to_numpy(np.int64)
    columns = [
        column if pd.api.types.is_numeric_dtype(column) else pd.factorize(column)[0] for _, column in frame.items()
    ]
    return np.column_stack(columns).astype(np.float32).astype(np.float64), target


class _Ours:
    def __init__(self, model: Model, example: Matrix) -> None:
        names = tuple(f"f{at}" for at in range(example.shape[1]))
        onnx = convert_model(model, example[:50].astype(np.float32), parity=False).onnx
        self.read: ReadModel = read_model(onnx, DeclaredModel(feature_names=names), ModelLimits())
        as_read = self.read.for_walker.as_read(self.read.ensemble)
        self.effects = EnsembleEffects.of(self.read.description, as_read)
        self.inputs = TreeInputs(self.read.description, self.read.ensemble, self.read.for_walker)

    def ranks(self, matrix: Matrix) -> NDArray[np.uint16]:
        return self.effects.ranks(self.inputs.columns(rows_of_matrix(matrix)))

    @property
    def megabytes(self) -> tuple[float, float]:
        """What effects hold, and what paths to leaves hold, which a warm explainer has for its reasons."""
        effects, ensemble = self.effects, self.read.ensemble
        arrays = [*effects.paired, effects.scores.values, effects.trees.cuts.values]
        paths = path_arrays(ensemble, ensemble.leaf_nodes, ensemble.leaf_offsets)
        return sum(each.nbytes for each in arrays) / 1e6, sum(each.nbytes for each in paths.values()) / 1e6


def _compare(model: Model, rows: Matrix) -> None:
    ours, shap = _Ours(model, rows), import_module("shap")
    ranks, columns = ours.ranks(rows), ours.inputs.columns(rows_of_matrix(rows))
    alone = shap.TreeExplainer(model, data=rows[:1], feature_perturbation="interventional")

    def one_by_one() -> Matrix:
        """Return effects of rows that come alone: what trees read of each becomes ranks first."""
        parts = [
            ours.effects.mean_effects(ours.effects.ranks(columns[at : at + 1]), ranks[:1], 1)
            for at in range(1, N_CALLS + 1)
        ]
        return np.concatenate(parts)

    def by_shap() -> Matrix:
        return np.concatenate([_of_second(alone, rows[at : at + 1]) for at in range(1, N_CALLS + 1)])

    many, by_shap_at_once = rows[1 : N_IN_ONE_CALL + 1], "shap in one call"
    _print_ratios(N_CALLS, "a row in a call of its own, one reference", {"ours": one_by_one, "shap": by_shap})
    of_one = _print_ratios(
        N_IN_ONE_CALL,
        "a row of 500 in one call, one reference",
        {
            "ours": lambda: ours.effects.mean_effects(ranks[1 : N_IN_ONE_CALL + 1], ranks[:1], 1),
            by_shap_at_once: lambda: _of_second(alone, many),
        },
    )
    raw = ours.effects.raw_scores(ranks)[:, 1]
    _print_sums(of_one, raw[1 : N_IN_ONE_CALL + 1] - raw[0])
    if ours.read.description.max_depth > DEEPEST_OF_MANY:
        return
    _compare_means(model, ours, rows, raw)
    own, paths = ours.megabytes
    print(f"memory: {own:.1f} MB for effects, beside {paths:.1f} MB for paths to leaves and the model's own")


def _compare_means(model: Model, ours: _Ours, rows: Matrix, raw: Matrix) -> None:
    shap, woodelf = import_module("shap"), import_module("woodelf")
    background, explained, ranks = rows[N_ROWS:], rows[:N_ROWS], ours.ranks(rows)
    data = shap.maskers.Independent(background, max_samples=N_ROWS)
    by_shap = shap.TreeExplainer(model, data=data, feature_perturbation="interventional")
    part = explained[:N_BY_SHAP]
    seconds, _ = _fastest(lambda: _of_second(by_shap, part))
    sign = -1 if isinstance(model, RandomForestClassifier) else 1

    def by_woodelf() -> Matrix:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # it says how far it is
            explainer = woodelf.WoodelfExplainer(model, pd.DataFrame(background))
            return sign * _of_second(explainer, pd.DataFrame(explained))

    ways = {"ours": lambda: ours.effects.mean_effects(ranks[:N_ROWS], ranks[N_ROWS:], 1), "woodelf": by_woodelf}
    of_many = _print_ratios(1, f"{N_ROWS:,} rows, {N_ROWS:,} references", ways)
    print(f"  shap: {seconds * N_ROWS / N_BY_SHAP:.2f} s (from {N_BY_SHAP} rows)")
    _print_sums(of_many, raw[:N_ROWS] - raw[N_ROWS:].mean())


def _of_second(explainer: Any, rows: Any) -> Matrix:  # of libraries without types
    """Return the effects on the second class, or on the only score there is."""
    try:
        values = np.asarray(explainer.shap_values(rows, check_additivity=False))
    except TypeError:  # woodelf's has no such argument
        values = np.asarray(explainer.shap_values(rows))
    return values[..., 1] if values.ndim == 3 else values  # dimensions


def _fastest(run: Callable[[], Matrix]) -> tuple[float, Matrix]:
    began = time.process_time()
    values = run()
    return time.process_time() - began, values


def _print_ratios(n_rows: int, what: str, ways: dict[str, Callable[[], Matrix]]) -> dict[str, Matrix]:
    """Print the time of each way in turns; return what each found."""
    ways["ours"]()  # compiled
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found = {}
    for _ in range(N_ROUNDS):
        for name, run in ways.items():
            taken, found[name] = _fastest(run)
            seconds[name].append(taken)
    ours = min(seconds["ours"])
    for name, times in seconds.items():
        each = min(times) / n_rows
        shown = f"{each * 1e6:,.0f} µs" if n_rows > 1 else f"{each:.2f} s"
        print(f"  {what}: {name} {shown}" + ("" if name == "ours" else f", {min(times) / ours:.1f} times ours"))
    return found


def _print_sums(found: dict[str, Matrix], differences: Matrix) -> None:
    for name, values in found.items():
        miss, other = np.abs(values.sum(axis=1) - differences).max(), np.abs(values - found["ours"]).max()
        print(f"  {name}: sums miss the difference of scores by {miss:.1e} at most; {other:.1e} from ours")


if __name__ == "__main__":
    main()
