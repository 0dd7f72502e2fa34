"""The controls of approximation trees: CART and born-again trees on pseudo rows drawn once, at the root.

Both are what STA is compared with: scikit-learn's regression trees on the model's scores of pseudo rows. They have no
p-values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.implications import Implications, repaired
from ..rows import Rows
from .cart_trees import RankTable, fit_cart, to_raw_features
from .fidelity import ModelPredictions
from .generators import GeneratorSettings, row_generator
from .node_boxes import NodeBox
from .oracle import DrawRows, LabelledRows, Oracle, TargetTransform, label_rows
from .possible_rows import PossibleRows
from .size_choice import best_depth
from .tree_growth import TreeLimits
from .trees import ApproximationTree

REPLACED = 0.25  # probability that a value is replaced by that of another training row

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """How a control is grown."""

    limits: TreeLimits = field(default_factory=TreeLimits)
    n_pseudo_samples: int = 100_000  # for the whole tree, at least 10
    implications: Implications = field(default_factory=Implications)  # by which pseudo rows are repaired
    generator: GeneratorSettings = field(default_factory=GeneratorSettings)  # of the pseudo rows of ``grow_cart``
    smearing_probability: float = REPLACED  # of ``grow_born_again``: that a value is that of another training row


def grow_cart(
    rows: Rows,
    oracle: Oracle,
    settings: ControlSettings,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow CART on pseudo rows near the training rows, labelled with the model's scores.

    The control of figure 3: all rows that STA may draw at a node are drawn at once, like all training rows.
    ``min_samples_leaf`` demands the same share of pseudo rows in each leaf as of training rows, of which a leaf may
    have fewer.

    Parameters
    ----------
    rows, oracle, missing_texts, report
        As in ``grow_sta``.
    settings
        Limits and number of pseudo rows.
    rng
        Source of the pseudo rows, and of how scikit-learn breaks ties.

    References
    ----------
    Zhou, Hooker (2016), section 4.1.2.
    """
    texts = dict(missing_texts or {})
    pseudo_rows = PossibleRows(row_generator(rows, texts, settings.generator), settings.implications)
    draw_near = pseudo_rows.at_node(rows, NodeBox(texts))

    def draw(n: int, block_rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
        return draw_near(n, block_rng), np.zeros(n, np.int64)

    growth = _ControlGrowth.of(rows, draw, oracle, settings, rng, texts, report)
    report(0.5, "growing the tree")
    return growth.tree(growth.limits)


def grow_cart_on_rows(
    rows: Rows,
    answers: ModelPredictions,
    limits: TreeLimits,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
) -> ApproximationTree:
    """Grow CART on the training rows themselves, with the model's labels or values as targets; no row is made up.

    A leaf predicts the label that the model gives to most of its rows (ties: the first), or the mean value. Its scores
    are the shares of these labels.

    Parameters
    ----------
    rows, missing_texts
        As in ``grow_sta``.
    answers
        What the model predicts for the rows.
    limits
        Of the tree, in training rows.
    rng
        How scikit-learn breaks ties.

    References
    ----------
    Breiman, Friedman, Olshen, Stone (1984), "Classification and Regression Trees"; on a model's labels: Craven, Shavlik
    (1996), "Extracting Tree-Structured Representations of Trained Networks".
    """
    texts, labels = dict(missing_texts or {}), answers.targets.classes
    scores = answers.scores if labels is None else np.eye(answers.scores.shape[1])[labels]
    transform, center = TargetTransform.of(scores, is_classifier=labels is not None), scores.mean(axis=0)
    labelled = LabelledRows(rows, np.arange(len(rows)), transform.targets(scores, center), transform, center)
    table = RankTable.of(rows, texts)
    tree = fit_cart(table.matrix, labelled.targets, limits, int(rng.integers(2**31)))
    return to_raw_features(tree, table, labelled, rows, texts)


def grow_born_again(
    rows: Rows,
    oracle: Oracle,
    settings: ControlSettings,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow a born-again tree: CART on smeared rows and the model's scores, its depth by cross-validation.

    Parameters are those of ``grow_cart``; the depth is at most ``settings.limits.max_depth``.

    References
    ----------
    Breiman, Shang (1996), "Born Again Trees", technical report, University of California, Berkeley.
    """

    def draw(n: int, block_rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
        smeared, origins = smeared_rows(rows, n, block_rng, settings.smearing_probability)
        return repaired(smeared, settings.implications), origins

    growth = _ControlGrowth.of(rows, draw, oracle, settings, rng, dict(missing_texts or {}), report)
    choice = best_depth(growth.table.matrix, growth.labelled, growth.limits, growth.seed, report)
    report(0.9, "growing the tree")
    limits = growth.limits if choice is None else replace(growth.limits, max_depth=choice.depth)
    return replace(growth.tree(limits), depth_choice=choice)


@dataclass(frozen=True, slots=True)
class _ControlGrowth:
    """Labelled pseudo rows, and what it takes to grow a tree on them."""

    rows: Rows  # training rows
    labelled: LabelledRows
    table: RankTable
    limits: TreeLimits  # among pseudo rows
    seed: np.random.SeedSequence
    missing_texts: Mapping[str, str]

    @classmethod
    def of(  # noqa: PLR0917
        cls,
        rows: Rows,
        draw: DrawRows,
        oracle: Oracle,
        settings: ControlSettings,
        rng: np.random.Generator,
        missing_texts: Mapping[str, str],
        report: ReportProgress,
    ) -> "_ControlGrowth":
        """Draw and label the pseudo rows, which is half of the work."""
        seed = np.random.SeedSequence(rng.integers(2**63, size=4).tolist())
        n_pseudo = settings.n_pseudo_samples
        labelled = label_rows(rows, draw, oracle, n_pseudo, seed, lambda done, stage: report(done / 2, stage))
        least = max(1, round(settings.limits.min_samples_leaf * n_pseudo / len(rows)))
        limits = replace(settings.limits, min_samples_leaf=least)
        return cls(rows, labelled, RankTable.of(labelled.rows, missing_texts), limits, seed, missing_texts)

    def tree(self, limits: TreeLimits) -> ApproximationTree:
        tree = fit_cart(self.table.matrix, self.labelled.targets, limits, int(self.seed.generate_state(1)[0]))
        return to_raw_features(tree, self.table, self.labelled, self.rows, self.missing_texts)


def smeared_rows(
    rows: Rows, n: int, rng: np.random.Generator, probability: float = REPLACED
) -> tuple[Rows, NDArray[np.int64]]:
    """Draw training rows, some of whose values are those of other training rows.

    Returns
    -------
    Rows, (n,)
        The rows, and the index of the training row that each was made from.

    References
    ----------
    Breiman, Shang (1996), "Born Again Trees": smearing, whose probability is left to the user.
    """
    origins = rng.integers(len(rows), size=n)
    columns = []
    for values in rows.columns:
        others = rng.integers(len(rows), size=n)
        columns.append(values[np.where(rng.random(n) < probability, others, origins)])
    return Rows(rows.names, tuple(columns)), origins
