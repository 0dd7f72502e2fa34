"""The smallest changes beside counterfactuals of DiCE and NICE, of the same forests and the same rows.

Five datasets of numbers, at most 3,000 rows each, 70 % of them for training; a RandomForestClassifier of 100 trees of
depth at most 8; 10 new rows. The wished outcome is the other class (the most frequent class against the rest).
``found``: share of rows with a change of which the forest itself says so. Of those rows that all methods found:
``features``: how many were changed; ``size``: the sum of the differences of quantiles of the training rows, our own
measure; ``typical``: the largest share of trees in whose leaves the changed row lies with a training row of the wished
class; ``seconds``: of processor time for a row, of all rows. Ours, with the limits of the service, is exact for one
and two features, and where there is none of these, it has values of a real row: of its options the first, which has
the fewest features; the smallest; and of 20 of one and 20 of two features the most typical. ``proved``: rows whose
change has three features or more, or that have none, for which it is proved that no change of two is enough. DiCE by
its random method and by its genetic one, NICE by two of its goals: the third takes an autoencoder. A row that takes a
method more than 10 seconds counts as one without a change. ``pip install --no-deps dice-ml NICEx raiutils jsonschema``.
``python -m benchmarks.changes [datasets, by commas]``
"""

import contextlib
import io
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks.machine import describe_machine
from benchmarks.ten_datasets import divided
from explanations.changes import search_limits
from schemas.explanation_sets import MAX_CHANGED_FEATURES
from tests.support.models import onnx_of, rows_of_matrix
from tree_explainers.changes.curves import CurveModel
from tree_explainers.changes.row_changes import Changes
from tree_explainers.changes.smallest_changes import ChangeSearch, SearchLimits
from tree_explainers.changes.wishes import ClassWish
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.rank_scale import UNIT, RankScale
from tree_explainers.rows import Rows

DATASETS = ("pima_diabetes", "breast_cancer", "magic_gamma", "spambase", "higgs_11k")
N_ROWS = 10
_MOST_SEARCHED = 2  # features of changes that are all searched
_MOST_SECONDS = 10.0  # of a row, after which it counts as one without a change

Matrix = NDArray[np.float32]
Method = Callable[[Matrix, int], Matrix | None]  # of a row and its class: the changed row


@dataclass(frozen=True)
class Case:
    """A forest, its training rows, and new rows."""

    train: Matrix
    target: NDArray[np.int64]
    rows: Matrix
    forest: RandomForestClassifier

    @classmethod
    def of(cls, name: str) -> "Case":
        """Return the case of a dataset."""
        division = divided(name, 0)
        most = np.bincount(division.train.target).argmax()
        target = (division.train.target == most).astype(np.int64)
        train = np.nan_to_num(division.train.features)
        forest = RandomForestClassifier(100, max_depth=8, random_state=0).fit(train, target)
        return cls(train, target, np.nan_to_num(division.test.features)[:N_ROWS], forest)

    @property
    def names(self) -> tuple[str, ...]:
        """The features."""
        return tuple(f"f{at}" for at in range(self.train.shape[1]))

    @property
    def labelled(self) -> list[tuple[Matrix, int]]:
        """The new rows, with the classes that the forest predicts."""
        return list(zip(self.rows, self.forest.predict(self.rows).tolist(), strict=True))

    @cached_property
    def scale(self) -> RankScale:
        """The quantiles of the training rows."""
        return RankScale.of(self.train.T.astype(np.float64), [True] * self.train.shape[1])

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        """Of the training rows."""
        return np.asarray(self.forest.apply(self.train))

    def size(self, row: Matrix, changed: Matrix) -> float:
        """Return the sum of the differences of quantiles."""
        places = self.scale.positions(np.stack([row, changed]).T.astype(np.float64))
        return float(np.abs(places[0] - places[1]).sum() / UNIT)

    def typicality(self, changed: Matrix) -> float:
        """Return the largest share of leaves with a training row of the changed row's class."""
        (wished,) = self.forest.predict(changed[None])
        shares = (self.leaves == self.forest.apply(changed[None])).mean(axis=1)
        return float(shares[self.target == wished].max())


class Ours:
    """The search for the smallest changes."""

    def __init__(self, case: Case) -> None:
        self.case = case
        rows = rows_of_matrix(case.train)
        declared = DeclaredModel(feature_names=rows.names)
        self.read = read_model(onnx_of(case.forest, case.train), declared, ModelLimits())
        session = ModelSession(self.read.leaf_graph, self.read.description)
        inputs = TreeInputs(self.read.description, self.read.ensemble, self.read.for_walker)
        self.search = ChangeSearch(CurveModel.of(session, inputs, rows), rows)
        self.names = rows.names

    def first(self, row: Matrix, label: int) -> Matrix | None:
        """Return the first option."""
        options = self._options(row, label, 3)
        return options[0] if options else None

    def smallest(self, row: Matrix, label: int) -> Matrix | None:
        """Return the smallest of the options."""
        return min(self._options(row, label, 3), key=partial(self.case.size, row), default=None)

    def most_typical(self, row: Matrix, label: int) -> Matrix | None:
        """Return the most typical of many options."""
        return max(self._options(row, label, 20), key=self.case.typicality, default=None)

    def is_proved(self, row: Matrix, label: int) -> bool:
        """Return whether it is proved that there is no change of two features."""
        return self._changes(row, label, 3).none_of_two

    def _changes(self, row: Matrix, label: int, n_options: int) -> Changes:
        wish = ClassWish(1 - label, self.read.description.rounding)
        columns = tuple(row[:, None].astype(np.float64))
        return self.search.find(Rows(self.names, columns), wish, limits=_limits(n_options))

    def _options(self, row: Matrix, label: int, n_options: int) -> list[Matrix]:
        changes = self._changes(row, label, n_options)
        return [np.array(option.row, np.float32) for option in changes.options]


def _limits(n_options: int) -> SearchLimits:
    return replace(search_limits(MAX_CHANGED_FEATURES), n_options=n_options)


def nice_of(case: Case, goal: str) -> Method:
    """Return NICE."""
    from nice import NICE

    explainer = NICE(
        X_train=case.train.astype(np.float64),
        predict_fn=lambda rows: case.forest.predict_proba(rows.astype(np.float32)),
        y_train=case.target,
        cat_feat=[],
        num_feat=list(range(case.train.shape[1])),
        optimization=goal,
        justified_cf=True,
    )
    return lambda row, _: np.asarray(explainer.explain(row[None].astype(np.float64)), np.float32)[0]


def dice_of(case: Case, method: str) -> Method:
    """Return DiCE."""
    import dice_ml

    frame = pd.DataFrame(case.train.astype(np.float64), columns=list(case.names)).assign(target=case.target)
    data = dice_ml.Data(dataframe=frame, continuous_features=list(case.names), outcome_name="target")
    explainer = dice_ml.Dice(data, dice_ml.Model(model=_Named(case.forest), backend="sklearn"), method=method)

    # Its linear search takes a row of spambase more than a minute, as some columns have a wide range.
    options: dict[str, Any] = {"posthoc_sparsity_algorithm": "binary"}
    if method == "random":
        options["random_seed"] = 0

    def change(row: Matrix, _: int) -> Matrix | None:
        query = pd.DataFrame(row[None].astype(np.float64), columns=list(case.names))
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                answer = explainer.generate_counterfactuals(query, total_CFs=1, desired_class="opposite", **options)
        except Exception as error:  # DiCE has an exception of its own where it finds none
            if "No counterfactuals" not in str(error):
                raise
            return None
        table = answer.cf_examples_list[0].final_cfs_df
        return None if table is None or not len(table) else table[list(case.names)].to_numpy(np.float32)[0]

    return change


class _Named:
    """The forest, for frames."""

    def __init__(self, forest: RandomForestClassifier) -> None:
        self.forest = forest
        self.classes_ = forest.classes_

    def predict_proba(self, frame: pd.DataFrame) -> Any:
        """Return the shares of both classes."""
        return self.forest.predict_proba(frame.to_numpy(np.float32))

    def predict(self, frame: pd.DataFrame) -> Any:
        """Return the classes."""
        return self.forest.predict(frame.to_numpy(np.float32))


@dataclass(frozen=True, slots=True)
class Run:
    """What a method made of all rows."""

    changed: list[Matrix | None]
    seconds: float  # for a row


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` after some seconds of processor time: DiCE's genetic method does not end for some rows."""

    def stop(*_: object) -> None:
        raise TimeoutError

    former = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def run(case: Case, method: Method) -> Run:
    """Return the changes of all rows that the forest itself confirms."""
    changed: list[Matrix | None] = []
    labels = case.forest.predict(case.rows)
    method(case.rows[0], int(labels[0]))  # loops are compiled
    start = time.process_time()
    for row, label in zip(case.rows, labels.tolist(), strict=True):
        with contextlib.suppress(TimeoutError), _limited(_MOST_SECONDS):
            changed.append(method(row, label))
            continue
        changed.append(None)
    seconds = (time.process_time() - start) / len(case.rows)
    flips = [
        each is not None and case.forest.predict(each[None])[0] != label
        for each, label in zip(changed, labels, strict=True)
    ]
    return Run([each if flip else None for each, flip in zip(changed, flips, strict=True)], seconds)


def report(name: str, case: Case) -> None:
    """Print a line for each method."""
    ours = Ours(case)
    methods: dict[str, Method] = {
        "ours": ours.first,
        "ours, smallest": ours.smallest,
        "ours, most typical": ours.most_typical,
    }
    methods |= {f"NICE, {goal}": nice_of(case, goal) for goal in ("sparsity", "proximity")}
    methods |= {f"DiCE, {method}": dice_of(case, method) for method in ("random", "genetic")}
    runs = {title: run(case, method) for title, method in methods.items()}
    first = zip(case.labelled, runs["ours"].changed, strict=True)
    hard = [row for row, change in first if change is None or (change != row[0]).sum() > _MOST_SEARCHED]
    n_proved = sum(ours.is_proved(*row) for row in hard)
    common = [at for at in range(len(case.rows)) if all(each.changed[at] is not None for each in runs.values())]
    print(f"{name}: {case.train.shape[1]} features, {len(common)} rows with a change by all methods")
    for title, result in runs.items():
        pairs = [(case.rows[at], change) for at in common if (change := result.changed[at]) is not None]
        n_features = np.mean([(row != change).sum() for row, change in pairs]) if pairs else np.nan
        size = np.mean([case.size(row, change) for row, change in pairs]) if pairs else np.nan
        typical = np.mean([case.typicality(change) for _, change in pairs]) if pairs else np.nan
        n_found = sum(each is not None for each in result.changed)
        note = f"  proved {n_proved} of {len(hard)}" if title == "ours" else ""
        print(
            f"  {title:20s} found {n_found / len(case.rows):4.0%}  features {n_features:5.2f}  size {size:5.2f}"
            f"  typical {typical:.2f}  seconds {result.seconds:7.3f}{note}",
            flush=True,
        )


def main() -> None:
    """Print the table of each dataset."""
    warnings.simplefilter("ignore")
    print(describe_machine())
    for name in sys.argv[1].split(",") if len(sys.argv) > 1 else DATASETS:
        report(name, Case.of(name))


if __name__ == "__main__":
    main()
