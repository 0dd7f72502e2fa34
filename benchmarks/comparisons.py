"""Whether comparisons name a planted change first, on seven real datasets, by forests and LightGBM.

Half of at most 3,000 rows train a model (RandomForestClassifier of 100 trees, or LightGBM of 100 trees of 31 leaves);
the others are compared, by whole jobs, as the service does them. The planted changes, each drawn by its seed:

**swapped**: the other model was trained on labels of the next class in a region of two numbers, each on one side of a
quantile between 0.4 and 0.6, of at least 10 % of the rows. ``overlap``: rows of the first rule and of the region, those
in both by those in either. Right: it is 0.7 or more. ``the two alone``: the rule is about these two features and no
other; where features say nearly the same, another may stand for one of them.

**lacking**: the other model was trained without the rows above the 0.7 quantile of a number, in which labels follow a
law of their own (they are above or below the median of another number). Right: of the rows of the first rule, 0.7 or
more are of the region. ``named first``: its first condition is on that number, and admits what lies above.

**shifted**: half of the compared rows, with one of the five most important numbers moved by its standard deviation, as
another dataset. Right: the feature whose effects moved most is that number.

**nothing**: two halves of the rows, and two models of other seeds. Right: no difference is seen; ``rules``: how many
rules say where two equal models differ.

``python -m benchmarks.comparisons [datasets, by commas]``
"""

import logging
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import structlog
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks import ten_datasets
from benchmarks.machine import describe_machine
from schemas.comparisons import ComparisonResult
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, result_of, workshop_in

KINDS = ("random_forest", "boosting")
DATASETS = ["pima_diabetes", "magic_gamma", "breast_cancer", "covertype_20k", "adult", "sick_thyroid", "spambase"]
_LEAST_REGION, _LACKING_FROM = 0.1, 0.7
_LEAST_OVERLAP = 0.7
_N_DISTINCT = 20  # values of a number in which changes are planted

Values = NDArray[np.float32]
Labels = NDArray[np.int64]


@dataclass
class Case:
    """A dataset and a kind of models, and what was compared of them."""

    workshop: Workshop
    kind: str
    names: tuple[str, ...]
    train: tuple[Values, Labels]
    rows: Values
    rng: np.random.Generator
    seconds: float = 0.0

    def fit(self, labels: Labels, some: Any = slice(None), seed: int = 0) -> Any:  # a classifier
        """Return a model of the training rows, or of some of them, with these labels."""
        values = self.train[0][some]
        if self.kind == "random_forest":
            return RandomForestClassifier(100, random_state=seed).fit(values, labels[some])
        return LGBMClassifier(n_estimators=100, verbose=-1, random_state=seed, n_jobs=1).fit(values, labels[some])

    def register(self, model: Any) -> str:  # a classifier
        """Register a model; return its id."""
        onnx = onnx_of(model, self.train[0])
        return self.workshop.register_model(onnx, feature_names=list(self.names), ensemble=self.kind)

    def dataset(self, values: Values) -> str:
        """Register rows that no model was trained on; return their id."""
        frame = pd.DataFrame(values.astype(np.float64), columns=list(self.names))
        return self.workshop.register_dataset(frame, held_out=True)

    def compare(self, **request: str) -> ComparisonResult:
        """Return the result of a whole job, and keep how long the slowest took."""
        begun = time.perf_counter()
        result = result_of(self.workshop.compare(**request))
        self.seconds = max(self.seconds, time.perf_counter() - begun)
        return result

    def numbers(self) -> list[int]:
        """Return the features of many values, in which a change can be planted."""
        return [at for at, column in enumerate(self.rows.T) if len(np.unique(column[~np.isnan(column)])) >= _N_DISTINCT]


def swapped(case: Case) -> tuple[bool, str]:
    """Plant swapped labels in a region, and say whether it is named first."""
    values, labels = case.train
    planted, inside = region_of(case)
    n_classes = int(labels.max()) + 1
    others = np.where(inside(values), (labels + 1) % n_classes, labels)
    models = [case.register(case.fit(each)) for each in (labels, others)]
    result = case.compare(model=models[0], other_model=models[1], dataset=case.dataset(case.rows))
    assert result.models is not None
    if not result.models.regions:
        return False, "no rule"
    first = result.models.regions[0]
    named = {case.names.index(each.feature) for each in first.conditions}
    chosen = holding(first.conditions, case)
    truth = inside(case.rows)
    overlap = (chosen & truth).sum() / (chosen | truth).sum()
    return (
        overlap >= _LEAST_OVERLAP,
        f"{'the two alone' if named == set(planted) else 'others too'}, overlap {overlap:.2f}",
    )


def region_of(case: Case) -> tuple[list[int], Any]:  # features, and a function of rows
    """Return two features, and a function that says which rows are in the region."""
    numbers = case.numbers()
    while True:
        chosen = case.rng.choice(numbers, 2, replace=False).tolist()
        cuts = [np.nanquantile(case.train[0][:, at], case.rng.uniform(0.4, 0.6)) for at in chosen]
        above = case.rng.random(2) < 0.5

        def inside(values: Values, chosen: Any = chosen, cuts: Any = cuts, above: Any = above) -> NDArray[np.bool_]:
            sides = [(values[:, at] > cut) == up for at, cut, up in zip(chosen, cuts, above, strict=True)]
            known = [~np.isnan(values[:, at]) for at in chosen]
            return np.asarray(np.all([*sides, *known], axis=0))

        if all(inside(values).mean() >= _LEAST_REGION for values in (case.train[0], case.rows)):
            return chosen, inside


def holding(conditions: Any, case: Case) -> NDArray[np.bool_]:  # of the API
    """Return which of the compared rows conditions on numbers hold for."""
    holds = np.ones(len(case.rows), np.bool_)
    for each in conditions:
        column = case.rows[:, case.names.index(each.feature)].astype(np.float64)
        missing = np.isnan(column)
        if each.operator in {"is missing", "is not missing"}:
            holds &= missing == (each.operator == "is missing")
            continue
        side = column <= each.value if each.operator == "<=" else column > each.value
        holds &= np.where(missing, each.or_missing, side)
    return holds


def lacking(case: Case) -> tuple[bool, str]:
    """Leave out the rows of a region of its own law, and say whether it is named first."""
    values, labels = case.train
    at, other = case.rng.choice(case.numbers(), 2, replace=False).tolist()
    cut, middle = np.nanquantile(values[:, at], _LACKING_FROM), np.nanmedian(values[:, other])
    inside = values[:, at] > cut
    own_law = np.where(inside, values[:, other] > middle, labels).astype(np.int64)
    models = [case.register(case.fit(own_law, some)) for some in (slice(None), ~inside)]
    result = case.compare(model=models[0], other_model=models[1], dataset=case.dataset(case.rows))
    assert result.models is not None
    if not result.models.regions:
        return False, "no rule"
    first = result.models.regions[0]
    inside_first = holding(first.conditions, case)
    lacked = case.rows[:, at] > cut
    precision = (inside_first & lacked).sum() / max(1, inside_first.sum())
    is_named = first.conditions[0].feature == case.names[at] and first.conditions[0].operator == ">"
    return (
        precision >= _LEAST_OVERLAP,
        f"{'named first' if is_named else 'not named first'}, {precision:.2f} of the rule lacked",
    )


def shifted(case: Case) -> tuple[bool, str]:
    """Move a feature of half of the rows, and say whether its effects are named first."""
    model = case.fit(case.train[1])
    numbers = np.array(case.numbers())
    important = numbers[np.argsort(-model.feature_importances_[numbers])[:5]]
    at = int(case.rng.choice(important))
    half = len(case.rows) // 2
    newer = case.rows[half:].copy()
    newer[:, at] += np.nanstd(case.rows[:, at])
    datasets = [case.dataset(each) for each in (case.rows[:half], newer)]
    result = case.compare(model=case.register(model), dataset=datasets[0], other_dataset=datasets[1])
    assert result.datasets is not None
    moved = result.datasets.features_moved
    return bool(moved) and moved[0] == case.names[
        at
    ], f"{case.names[at]} was moved; {result.datasets.conclusion}, first {moved[:2]}"


def nothing(case: Case) -> tuple[bool, str]:
    """Compare what is alike, and say whether nothing is claimed."""
    labels = case.train[1]
    models = [case.register(case.fit(labels, seed=seed)) for seed in (0, 1)]
    half = len(case.rows) // 2
    datasets = [case.dataset(each) for each in (case.rows[:half], case.rows[half:])]
    drift = case.compare(model=models[0], dataset=datasets[0], other_dataset=datasets[1]).datasets
    assert drift is not None
    rules = 0
    if models[0] != models[1]:
        changed = case.compare(model=models[0], other_model=models[1], dataset=case.dataset(case.rows)).models
        assert changed is not None
        rules = len(changed.regions)
    return drift.conclusion == "no_difference_seen", f"{drift.conclusion}, {rules} rules"


PLANTED = (swapped, lacking, shifted, nothing)


def case_of(workshop: Workshop, name: str, kind: str) -> Case:
    """Return a dataset in two halves."""
    drawn = ten_datasets.draw(name, 0)
    rng = np.random.default_rng(sum(map(ord, name + kind)))
    order = rng.permutation(len(drawn.target))
    train, rows = order[: len(order) // 2], order[len(order) // 2 :]
    names = tuple(str(each) for each in drawn.names)
    return Case(workshop, kind, names, (drawn.features[train], drawn.target[train]), drawn.features[rows], rng)


def main() -> None:
    """Print, for each dataset and kind of models, what was named first, and how often that is right."""
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else DATASETS
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    print(describe_machine())
    n_right: dict[str, list[bool]] = defaultdict(list)
    with TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
        for name in names:
            for kind in KINDS:
                case = case_of(workshop, name, kind)
                for planted in PLANTED:
                    is_right, what = planted(case)
                    n_right[planted.__name__].append(is_right)
                    print(
                        f"{name:16} {kind:14} {planted.__name__:8} {'right' if is_right else 'WRONG':6} {what}",
                        flush=True,
                    )
                print(f"{name:16} {kind:14} at most {case.seconds:.1f} s a job", flush=True)
    for what, found in n_right.items():
        print(f"{what:8}: {sum(found)} of {len(found)} right")


if __name__ == "__main__":
    main()
