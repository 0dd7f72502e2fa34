"""What likeness predicts: the nearest prototype, the nearest row and the five nearest, of rows of no training.

Ten data sets of classification and two of regression, at most 3,000 rows each by seed, 70 % of them to train a model
and to make a prototype set of ten prototypes, the rest to predict. Forests of 200 trees with scikit-learn's defaults,
LightGBM of 200 trees, XGBoost with its own defaults; all through the service's own jobs. Two sets of each model:

- ``before``: leaves by coverage alone (the first ``min_leaf_rows`` at which 95 % of the rows have the minimum proximity
  to a prototype), trees of boosting weighed by variances, no outcome favoured; nearest rows in the same leaves.
- ``now``: the defaults. Leaves and weights by what nearest prototypes predict, a prototype for each outcome that 1 % of
  the rows have; nearest rows in the trees' own leaves, for boosting by standard deviations.

Agreement, and its mean over the model's outcomes (``balanced``), of the label of the nearest with what the model
predicts, in per cent; of five the label that most have (ties: the nearer). Of regressions R² in per cent, of five with
the mean. Rows that share no leaf with any count as wrong, or are given the mean. ``reached``: new rows with the minimum
proximity (1 %, from 2 trees) to a prototype.

With ``by_gain``, prototypes are chosen by gain alone now, too, so that leaves and weights are all that differs.

``python -m benchmarks.likeness [seeds] [by_gain]``
"""

import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

from benchmarks.machine import describe_machine
from benchmarks.ten_datasets import REGRESSIONS, TARGETS, divided
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.prototype_sets import PrototypeSetResult
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, result_of, workshop_in
from tree_explainers.prototype_sets.nearest import contiguous_leaves

N_NEAREST = 5
MEASURES = ("prototype", "balanced", "row", "five", "reached")
MODELS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "forest": (
        lambda: RandomForestClassifier(200, random_state=0, n_jobs=1),
        lambda: RandomForestRegressor(200, random_state=0, n_jobs=1),
    ),
    "LightGBM": (
        lambda: LGBMClassifier(n_estimators=200, verbose=-1, n_jobs=1, random_state=0),
        lambda: LGBMRegressor(n_estimators=200, verbose=-1, n_jobs=1, random_state=0),
    ),
    "XGBoost": (
        lambda: XGBClassifier(n_jobs=1, random_state=0),
        lambda: XGBRegressor(n_jobs=1, random_state=0),
    ),
}
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Line:
    """What was measured of a model."""

    dataset: str
    model: str
    before: Figures
    now: Figures
    leaves: str  # before and now


def main() -> None:
    """Print the table."""
    warnings.filterwarnings("ignore")
    n_seeds, start = int((sys.argv[1:] or ["1"])[0]), time.perf_counter()
    per_outcome = "by_gain" if "by_gain" in sys.argv else "auto"
    print(describe_machine())
    print(f"{n_seeds} seed(s); before / now, per_outcome {per_outcome}\n")
    print(f"{'data set':<20}{'model':<10}" + "".join(f"{name:>16}" for name in MEASURES) + "  leaves", flush=True)
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
        for name in [*TARGETS, *REGRESSIONS]:
            for model in MODELS:
                lines += [_measure(workshop, name, model, seed, per_outcome) for seed in range(n_seeds)]
                _print_line(lines[-n_seeds:])
    _print_means(lines)
    print(f"\n{time.perf_counter() - start:.0f} s")


def _measure(workshop: Workshop, name: str, model: str, seed: int, per_outcome: str) -> Line:
    division, is_regression = divided(name, seed), name in REGRESSIONS
    estimator = MODELS[model][is_regression]().fit(division.train.features, division.train.target)
    names = [f"f{index}" for index in range(division.train.features.shape[1])]
    model_id = workshop.register_model(
        onnx_of(estimator, division.train.features),
        feature_names=names,
        ensemble="random_forest" if model == "forest" else "boosting",
    )
    dataset = workshop.register_dataset(pd.DataFrame(division.train.features, columns=names))
    about = {"model": model_id, "dataset": dataset}
    now = workshop.make(**about, per_outcome=per_outcome)
    choice = result_of(now).leaf_choice
    assert choice is not None
    same: dict[str, Any] = {
        "min_leaf_rows": choice.min_leaf_rows_by_coverage,
        "proximity_kind": "random_forest" if model == "forest" else "boosting",
    }
    before = workshop.make(**about, **same, nearest_rows=same, per_outcome="by_gain")
    figures = [
        _figures(_opened(workshop, model_id, made.id), division.test.features, is_regression=is_regression)
        for made in (before, now)
    ]
    used = [_leaves(result_of(made)) for made in (before, now)]
    return Line(name, model, figures[0], figures[1], " / ".join(used))


def _leaves(result: PrototypeSetResult) -> str:
    return f"{result.min_leaf_rows}{' sd' if result.proximity_kind == 'boosting_sd' else ''}"


def _opened(workshop: Workshop, model: str, prototype_set: str) -> WarmExplainer:
    explainer, context = workshop.register_explainer(model=model, prototype_set=prototype_set), workshop.context
    return warm_up(explainer, context.database, context.objects, context.sessions.get)


def _figures(warm: WarmExplainer, features: NDArray[np.float32], *, is_regression: bool) -> Figures:
    """Return the measures of new rows, in per cent."""
    outcome = warm.session.run(warm.session.encode_matrix(features))
    leaves = contiguous_leaves(warm.leaves(outcome))
    proximities = warm.index.proximities(leaves)
    best, nearest = proximities.max(axis=1), proximities.argmax(axis=1)
    n_shared = (warm.index.leaves[nearest] == leaves).sum(axis=1)
    reached = 100 * float(warm.near.minimum.is_reached(best, n_shared).mean())
    assert warm.reference is not None
    file = warm.reference.open()
    rows = [file.search.nearest(line, N_NEAREST).rows for line in file.leaves(outcome.leaves)]
    if is_regression:
        values, known = outcome.scores[:, 0].astype(float), np.asarray(file.predicted, float)
        of_prototypes = np.array([prototype.value for prototype in warm.prototypes], float)
        guesses = np.where(best > 0, of_prototypes[nearest], np.nan)
        r2 = _r2(guesses, values)
        one = _r2(np.array([known[near[0]] if len(near) else np.nan for near in rows]), values)
        five = _r2(np.array([known[near].mean() if len(near) else np.nan for near in rows]), values)
        return dict(zip(MEASURES, (r2, r2, one, five, reached), strict=True))
    assert outcome.labels is not None
    labels, of_rows = outcome.labels, np.asarray(file.predicted)
    is_right = (best > 0) & (warm.index.classes[nearest] == labels)
    balanced = np.mean([is_right[labels == label].mean() for label in np.unique(labels)])
    one = np.mean([len(near) > 0 and of_rows[near[0]] == label for near, label in zip(rows, labels, strict=True)])
    five = np.mean([_most_have(of_rows[near]) == label for near, label in zip(rows, labels, strict=True)])
    agreements = (100 * float(each) for each in (is_right.mean(), balanced, one, five))
    return dict(zip(MEASURES, (*agreements, reached), strict=True))


def _most_have(labels: NDArray[Any]) -> int | None:
    """Return the most frequent label (ties: the first to come)."""
    return Counter(labels.tolist()).most_common(1)[0][0] if len(labels) else None


def _r2(guesses: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    deviations = (values - values.mean()) ** 2
    errors = np.where(np.isnan(guesses), deviations, (values - guesses) ** 2)
    return 100 * (1 - float(errors.sum() / deviations.sum()))


def _print_line(lines: list[Line]) -> None:
    means = [
        f"{np.mean([line.before[name] for line in lines]):.1f} / {np.mean([line.now[name] for line in lines]):.1f}"
        for name in MEASURES
    ]
    used = ", ".join(dict.fromkeys(line.leaves for line in lines))
    print(
        f"{lines[0].dataset:<20}{lines[0].model:<10}" + "".join(f"{each:>16}" for each in means) + f"  {used}",
        flush=True,
    )


def _print_means(lines: list[Line]) -> None:
    """Print means over models for each data set, and over all; and by how many points ``now`` is ahead."""
    print(f"\n{'ahead by, points':<30}" + "".join(f"{name:>16}" for name in MEASURES))
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.dataset, []).append(line)
    gains = {name: _gains(group) for name, group in groups.items()} | {
        model: _gains([line for line in lines if line.model == model]) for model in MODELS
    }
    for name, gain in {**gains, "all": _gains(lines)}.items():
        print(f"{name:<30}" + "".join(f"{gain[measure]:>+16.2f}" for measure in MEASURES))
    print(
        f"{'means, before / now':<30}"
        + "".join(
            f"{np.mean([line.before[name] for line in lines]):.1f} / "
            f"{np.mean([line.now[name] for line in lines]):.1f}".rjust(16)
            for name in MEASURES
        )
    )


def _gains(lines: list[Line]) -> Figures:
    return {name: float(np.mean([line.now[name] - line.before[name] for line in lines])) for name in MEASURES}


if __name__ == "__main__":
    main()
