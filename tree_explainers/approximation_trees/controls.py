"""The controls of approximation trees: CART on pseudo rows, drawn once at the root."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..rows import Rows
from .asked_rows import AskedRows, ask_rows
from .born_again import best_depth, smeared_rows
from .cart_trees import fit_cart, told_in_features
from .heartbeat import Heartbeat
from .node_boxes import NodeBox
from .oracle import Oracle
from .rank_tables import RankTable
from .smoothing import Smoother
from .tree_growth import TreeLimits
from .trees import ApproximationTree


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """How a control is grown."""

    limits: TreeLimits = field(default_factory=TreeLimits)
    n_pseudo_samples: int = 100_000  # for the whole tree, at least 10


def grow_cart(
    rows: Rows,
    oracle: Oracle,
    settings: ControlSettings,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow CART on pseudo rows near the training rows and the model's soft answers.

    The control of figure 3: all rows that STA may draw at a node are drawn at once, from the smoother over all training
    rows. ``min_samples_leaf`` asks for the same share of pseudo rows in each leaf as of training rows, of which a leaf
    may have fewer.

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
    smoother, nowhere = Smoother.of(rows, texts), NodeBox(texts)

    def draw(n: int, block_rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
        return smoother.draw(rows, nowhere, n, block_rng), np.zeros(n, np.int64)

    seed, heart = _seed(rng), Heartbeat(report)
    asked = ask_rows(rows, draw, oracle, settings.n_pseudo_samples, seed, heart)
    heart(0.5, "growing the tree")
    limits = _among_pseudo_rows(settings, len(rows))
    return _grown(rows, asked, RankTable.of(asked.rows, texts), limits, seed, texts)


def grow_born_again(
    rows: Rows,
    oracle: Oracle,
    settings: ControlSettings,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow a born-again tree: CART on smeared rows and the model's soft answers, its depth by cross-validation.

    Parameters are those of ``grow_cart``; the depth is at most ``settings.limits.max_depth``.

    References
    ----------
    Breiman, Shang (1996), "Born Again Trees", technical report, University of California, Berkeley.
    """
    texts = dict(missing_texts or {})

    def draw(n: int, block_rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
        return smeared_rows(rows, n, block_rng)

    seed, heart = _seed(rng), Heartbeat(report)
    asked = ask_rows(rows, draw, oracle, settings.n_pseudo_samples, seed, heart)
    limits = _among_pseudo_rows(settings, len(rows))
    table = RankTable.of(asked.rows, texts)
    depth = best_depth(table.matrix, asked, limits, seed, heart)
    heart(0.9, "growing the tree")
    return _grown(rows, asked, table, replace(limits, max_depth=depth), seed, texts)


def _grown(
    rows: Rows,
    asked: AskedRows,
    table: RankTable,
    limits: TreeLimits,
    seed: np.random.SeedSequence,
    texts: Mapping[str, str],
) -> ApproximationTree:
    tree = fit_cart(table.matrix, asked.targets, limits, int(seed.generate_state(1)[0]))
    return told_in_features(tree, table, asked, rows, texts)


def _among_pseudo_rows(settings: ControlSettings, n_rows: int) -> TreeLimits:
    least = round(settings.limits.min_samples_leaf * settings.n_pseudo_samples / n_rows)
    return replace(settings.limits, min_samples_leaf=max(1, least))


def _seed(rng: np.random.Generator) -> np.random.SeedSequence:
    return np.random.SeedSequence(rng.integers(2**63, size=4).tolist())
