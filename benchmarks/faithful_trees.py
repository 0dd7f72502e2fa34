"""How faithful one tree is to a forest on new rows: our methods against scikit-learn's CART with as many leaves.

The ten datasets, and two of regression; a forest of 200 trees with scikit-learn's defaults. Every tree may have 16
leaves and 30 splits on a path. Fidelity is the share of new rows with the forest's own label, and R2 to its values.
scikit-learn's CART is fitted to the labels (or values) that the forest predicts for the training rows, with as many
leaves as the first method has; ``constant`` always predicts what the forest predicts most often for the training rows.
STA has at most 5,000 pseudo rows at a node, other methods 20,000 in all. ``sta, kernel`` adds Gaussian noise, not noise
by ranks, and ``sta, kernel, gain`` is the method before generators could be chosen; ``ism, dataset`` and ``cart,
dataset`` make no rows up. The second table grows trees for the forest of the simulated study of Zhou & Hooker (2016),
again and again with other pseudo rows, and counts the different ones down to each level. The third does the same where
a column has a heavy tail: sick_thyroid, classes by the rule for hypothyroidism (TSH above 6 and FTI below 65; of TSH
the median is 1.4, the standard deviation 24.5). The fourth does it for pima_diabetes in other units: each column is
exp(3 z) of its standard scores z, which changes nothing for a forest.
``python -m benchmarks.faithful_trees [number of seeds] [datasets, by commas, or all] [methods, by commas]``; instead of
these, ``stability``, ``skewed`` or ``units``
"""

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.support.models import onnx_of, rows_of_matrix
from tests.support.pipelines import with_missing_routes
from tree_explainers.approximation_trees.controls import (
    ControlSettings,
    grow_born_again,
    grow_cart,
    grow_cart_on_rows,
)
from tree_explainers.approximation_trees.fidelity import ModelPredictions, count_structures
from tree_explainers.approximation_trees.generators import GeneratorSettings, Smoother
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import SessionOracle, oracle_scores
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows

from .approximation_tables.simulation import N_NEW, N_TRAINING, NAMES, draw
from .machine import describe_machine
from .ten_datasets import REGRESSIONS, TARGETS, Division, Drawn, divided

N_TREES, LIMITS = 200, TreeLimits(max_depth=30, min_samples_leaf=5, max_leaves=16)
N_AT_NODE, N_PSEUDO, N_SEEDS = 5_000, 20_000, 2
N_REPEATS, N_AT_NODE_OF_STUDY = 8, 10_000
TOLERANCE = 0.005  # "no worse"
STA, PEER, CONSTANT = "sta", "CART of scikit-learn", "constant"
EARLIER = {"generator": GeneratorSettings("kernel"), "choose_by": "gain"}


@dataclass(frozen=True)
class Case:
    """A forest fitted to one division of a dataset."""

    name: str
    seed: int
    division: Division

    @property
    def is_regression(self) -> bool:
        """Whether the forest predicts values."""
        return self.name in REGRESSIONS

    @cached_property
    def rows(self) -> Rows:
        """The training rows."""
        return rows_of_matrix(self.division.train.features)

    @cached_property
    def new_rows(self) -> Rows:
        """Rows that the forest was not fitted to."""
        return rows_of_matrix(self.division.test.features)

    @cached_property
    def session(self) -> ModelSession:
        """The forest as the service has it."""
        return ModelSession(self._read.leaf_graph, self._read.description)

    @cached_property
    def _read(self) -> ReadModel:
        train = self.division.train
        kind = RandomForestRegressor if self.is_regression else RandomForestClassifier
        forest = kind(N_TREES, random_state=self.seed).fit(train.features, train.target)
        declared = DeclaredModel(feature_names=self.rows.names)
        onnx = with_missing_routes(onnx_of(forest, train.features), forest.estimators_)
        return read_model(onnx, declared, ModelLimits(max_nodes=10_000_000))

    def answers(self, rows: Rows) -> ModelPredictions:
        """Return what the forest predicts."""
        predicted = self.session.predict(rows)
        scores = oracle_scores(predicted, self.session.description)
        if predicted.labels is None:
            return ModelPredictions(scores, Targets.of_values(scores[:, 0]))
        return ModelPredictions(scores, Targets.of_classes(predicted.labels, scores.shape[1]))

    @cached_property
    def training_answers(self) -> ModelPredictions:
        """What it predicts for the training rows."""
        return self.answers(self.rows)

    def sta(self, **changes: object) -> ApproximationTree:
        """Return STA's tree."""
        settings = replace(StaSettings(LIMITS, max_pseudo_samples=N_AT_NODE), **changes)  # type: ignore[arg-type]
        return grow_sta(self.rows, SessionOracle(self.session), settings, self._rng)

    def control(self, grow: Callable[..., ApproximationTree]) -> ApproximationTree:
        """Return CART on pseudo rows, or the born-again tree."""
        return grow(self.rows, SessionOracle(self.session), ControlSettings(LIMITS, N_PSEUDO), self._rng)

    def ism(self, n_drawn: int) -> ApproximationTree:
        """Return ISM's tree from the training rows and some pseudo rows."""
        rows, answers = self.rows, self.training_answers
        if n_drawn:
            drawn = Smoother.of(rows, {}).draw(rows, NodeBox({}), n_drawn, self._rng)
            columns = tuple(map(np.concatenate, zip(rows.columns, drawn.columns, strict=True)))
            rows = Rows(rows.names, columns)
            answers = self.answers(rows)
        binned = BinnedRows.of(statements_of(self._read.ensemble, self._read.description), rows)
        training = IsmTraining(rows, binned, answers.scores, answers.targets.classes, n_training=len(self.rows))
        return grow_ism(training, self._read.ensemble, self._read.description, IsmSettings(LIMITS))

    @property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def peer(self, n_leaves: int) -> NDArray[np.float64]:
        """Return what scikit-learn's CART predicts for the new rows."""
        kind = DecisionTreeRegressor if self.is_regression else DecisionTreeClassifier
        tree = kind(max_leaf_nodes=n_leaves, random_state=self.seed)
        tree.fit(self.division.train.features, self.training_answers.targets.classes_or_values)
        return np.asarray(tree.predict(self.division.test.features))

    def fidelity(self, predicted: NDArray[np.float64] | NDArray[np.int64]) -> float:
        """Return how well predictions for the new rows agree with the forest's."""
        own = self.answers(self.new_rows).targets.classes_or_values
        return float(r2_score(own, predicted)) if self.is_regression else float((own == predicted).mean())

    def constant(self) -> float:
        """Return the fidelity of always the same prediction."""
        own = self.training_answers.targets.classes_or_values
        most = own.mean() if self.is_regression else np.bincount(own).argmax()
        return self.fidelity(np.full(len(self.new_rows), most))


METHODS: Mapping[str, Callable[[Case], ApproximationTree]] = {
    STA: lambda case: case.sta(),
    "sta, kernel": lambda case: case.sta(generator=GeneratorSettings("kernel")),
    "sta, kernel, gain": lambda case: case.sta(**EARLIER),
    "cart": lambda case: case.control(grow_cart),
    "cart, dataset": lambda case: grow_cart_on_rows(
        case.rows, case.training_answers, LIMITS, np.random.default_rng(case.seed)
    ),
    "born_again": lambda case: case.control(grow_born_again),
    "ism": lambda case: case.ism(N_PSEUDO),
    "ism, dataset": lambda case: case.ism(0),
}


def main() -> None:
    """Print one table or the other."""
    print(describe_machine(), flush=True)
    if sys.argv[1:] and sys.argv[1] in STUDIES:
        _print_study(*STUDIES[sys.argv[1]])
        return
    n_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else N_SEEDS
    names, methods = _named(2, (*TARGETS, *REGRESSIONS)), _named(3, tuple(METHODS))
    columns = [*methods, PEER, CONSTANT]
    print(f"\n{n_seeds} seeds; N_ps {N_AT_NODE:,} at a node, {N_PSEUDO:,} in all\n")
    print(f"{'':20s} leaves  " + "  ".join(f"{each:>{max(9, len(each))}s}" for each in columns))
    found = {}
    for name in names:
        own = [_measured(Case(name, seed, divided(name, seed)), methods) for seed in range(n_seeds)]
        found[name] = {column: np.array([each[column] for each in own]) for column in own[0]}
        values = "  ".join(f"{found[name][each].mean():{max(9, len(each))}.3f}" for each in columns)
        print(f"{name:20s} {found[name]['leaves'].mean():6.1f}  {values}", flush=True)
    _print_verdict({name: own for name, own in found.items() if name not in REGRESSIONS}, columns)


def _named(index: int, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return what an argument names by commas (without a blank: names have some); all that is known without it."""
    named = sys.argv[index] if len(sys.argv) > index else "all"
    return known if named == "all" else tuple(re.split(",(?! )", named))


def _measured(case: Case, methods: tuple[str, ...]) -> dict[str, float]:
    found = {CONSTANT: case.constant()}
    for method in methods:
        begun = time.process_time()
        tree = METHODS[method](case)
        predicted = tree.scores_of(case.new_rows)[:, 0] if case.is_regression else tree.labels_of(case.new_rows)
        found[method] = case.fidelity(predicted)
        summary = f"{found[method]:.3f}, {tree.n_leaves} leaves, {time.process_time() - begun:.1f} s of processor"
        print(f"  {case.name} {case.seed} {method}: {summary}", file=sys.stderr, flush=True)
        if method == methods[0]:
            found["leaves"], found[PEER] = tree.n_leaves, case.fidelity(case.peer(tree.n_leaves))
    return found


def _print_verdict(found: Mapping[str, Mapping[str, NDArray[np.float64]]], columns: list[str]) -> None:
    if not found:
        return
    print(f"\nclassification, against {PEER}: mean difference in points, and where no worse than by 0.5 points")
    for column in columns:
        ahead = np.array([np.mean(own[column] - own[PEER]) for own in found.values()])
        print(f"  {column:22s}{100 * ahead.mean():+6.1f}   {(ahead >= -TOLERANCE).sum()} of {len(ahead)}")
    first = columns[0]
    print(f"\n{first} against {PEER}, by dataset: mean difference in points, and its standard error over the seeds")
    for name, own in found.items():
        ahead = own[first] - own[PEER]
        error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else np.nan
        print(f"  {name:22s}{100 * ahead.mean():+6.1f}   {100 * error:.1f}")


def _print_study(make: Callable[[], Case], limits: TreeLimits) -> None:
    case = make()
    answers = case.answers(case.new_rows).targets.classes_or_values
    print(f"\n{N_REPEATS} trees for one forest, N_ps {N_AT_NODE_OF_STUDY:,}: different ones down to each level, mean")
    print(f"p-value of the root, agreement with the forest on new rows (constant: {case.constant():.3f})")
    for name, changes in _ways():
        settings = StaSettings(limits, max_pseudo_samples=N_AT_NODE_OF_STUDY)
        settings = replace(settings, **changes)  # type: ignore[arg-type]
        rngs = np.random.default_rng(0).spawn(N_REPEATS)
        trees = [grow_sta(case.rows, SessionOracle(case.session), settings, rng) for rng in rngs]
        agreement = np.mean([(tree.labels_of(case.new_rows) == answers).mean() for tree in trees])
        p_values = [tree.nodes[0].confidence.p_value for tree in trees if tree.nodes[0].confidence is not None]
        counts = ", ".join(map(str, count_structures(trees).tolist()))
        print(f"  {name:22s}{counts:28s}  p {np.mean(p_values):.3f}  agreement {agreement:.3f}", flush=True)


def _study() -> Case:
    """Return the simulated study."""
    drawn = [draw(n_rows, np.random.default_rng(seed)) for seed, n_rows in enumerate((N_TRAINING, N_NEW))]
    train, test = (Drawn(NAMES, own.features.astype(np.float32), own.target) for own in drawn)
    return Case("simulation", 0, Division(train, test))


def _skewed() -> Case:
    """Return sick_thyroid with other classes."""
    given = divided("sick_thyroid", 0)

    def relabelled(rows: Drawn) -> Drawn:
        tsh, fti = (rows.features[:, rows.names.index(name)] for name in ("TSH", "FTI"))
        return replace(rows, target=((tsh > 6) & (fti < 65)).astype(np.int64))

    return Case("sick_thyroid", 0, Division(relabelled(given.train), relabelled(given.test)))


def _in_other_units() -> Case:
    """Return pima_diabetes with long tails."""
    given = divided("pima_diabetes", 0)
    means, spreads = given.train.features.mean(axis=0), given.train.features.std(axis=0)
    train, test = (
        replace(own, features=np.exp(3 * (own.features - means) / spreads)) for own in (given.train, given.test)
    )
    return Case("pima_diabetes", 0, Division(train, test))


STUDIES = {
    "stability": (_study, TreeLimits(4, 5)),
    "skewed": (_skewed, replace(LIMITS, max_leaves=8)),
    "units": (_in_other_units, replace(LIMITS, max_leaves=8)),
}


def _ways() -> Iterator[tuple[str, dict[str, object]]]:
    yield "sta, kernel, gain", EARLIER
    yield "sta", {}
    yield "sta, kernel, fidelity", {"generator": GeneratorSettings("kernel")}
    yield "sta, ranks, gain", {"choose_by": "gain"}


if __name__ == "__main__":
    main()
