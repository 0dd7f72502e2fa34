"""EnsembleEffects: the exact effects of a model's features on its raw scores, against reference cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cosh, sinh, tanh
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, inlined_reader
from ..ensemble import TreeEnsemble
from ..errors import InvalidInput, MethodNotApplicable
from ..onnx_models.description import Link, ModelDescription
from .leaf_scores_in_scale import LeafScores
from .paired_walk import UNKNOWN_LEAVES, Leaves, PairedTrees, add_effects, leaf_shares
from .path_patterns import MOST_PLAYERS, add_mean_effects, new_patterns
from .players import Players
from .ranked_trees import RankedTrees

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Scale = Literal["probability", "log_odds", "value"]

_ONE = np.ones(1)
_FEW_PLAYERS = 64  # which numpy takes longer to put in order
_FLAT = 700.0  # log-odds beyond which no probability differs from 0 and 1
_MOST_WALKED = 3  # reference cases beside which rows walk; of more, patterns are counted, however few rows there are


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleEffects:
    """A model, ready to say by how much its features move its raw scores; nothing in it changes: threads may share it.

    Raw scores are what trees add up: shares of classes of voting forests (``probability``), values before the logistic
    function or the softmax of boosting (``log_odds``), or predicted values (``value``). They are sums in float64 of
    the leaf values that the model has; the model itself may add them in single precision.
    """

    players: Players
    scale: Scale
    link: Link | None  # what makes probabilities of raw scores; None: they are what the model returns
    trees: RankedTrees
    scores: LeafScores
    paired: PairedTrees
    depth: int  # of the deepest tree of words, at most

    @classmethod
    def of(
        cls, description: ModelDescription, ensemble: TreeEnsemble, groups: Mapping[str, Sequence[str]] | None = None
    ) -> Self:
        """Return the effects of a model.

        Parameters
        ----------
        description
            Of the model.
        ensemble
            Its trees, whose thresholds are those that the tensors are compared with (``WalkedParts.as_read``).
        groups
            Raw features that are one player, by its name; see ``Players.of``.

        Raises
        ------
        MethodNotApplicable
            Where the model's scores are not known to be functions of sums over its trees.
        InvalidInput
            Where groups do not fit the features.
        """
        if description.raw_scores is None:
            detail = (
                "Effects need scores that are sums over the trees; this model calculates its scores from its trees in "
                "another way."
            )
            raise MethodNotApplicable(detail)
        trees = RankedTrees.of(ensemble, description.tensors, len(description.columns))
        players = Players.of(description.columns, description.feature_names, groups)
        scores = LeafScores.of(ensemble, description.raw_scores)
        return cls(
            players,
            _scale(description),
            description.raw_scores.link,
            trees,
            scores,
            _paired(trees, players, description.max_depth),
            trees.n_tests * description.max_depth,
        )

    def with_groups(self, description: ModelDescription, groups: Mapping[str, Sequence[str]]) -> Self:
        """Return the effects of the same model with other groups of features; the trees are not read again.

        Raises
        ------
        InvalidInput
            Where groups do not fit the features.
        """
        players = Players.of(description.columns, description.feature_names, groups)
        return replace(self, players=players, paired=_paired(self.trees, players, description.max_depth))

    @property
    def has_patterns(self) -> bool:
        """Whether each path has few enough players for the time to grow with the sum of both numbers of rows."""
        return len(self.paired.gains) - 1 <= MOST_PLAYERS

    @property
    def has_points(self) -> bool:
        """Whether effects have points of probability: on log-odds of two classes."""
        return self.scale == "log_odds" and self.link == "logistic"

    @property
    def n_players(self) -> int:
        """Number of players."""
        return len(self.players.names)

    def ranks(self, columns: Floats) -> NDArray[np.uint16]:
        """Return rows as effects take them, (n_rows, n_ranked), from what trees read, (n_rows, n_columns) float64."""
        return self.trees.ranks(columns)

    def raw_scores(self, ranks: NDArray[np.uint16]) -> Floats:
        """Return the raw scores of rows, (n_rows, n_scores); effects add up to their differences."""
        return self.scores.of_rows(self.trees.leaves(np.ascontiguousarray(ranks)))

    def mean_effects(
        self, ranks: NDArray[np.uint16], references: NDArray[np.uint16], score: int, weights: Floats | None = None
    ) -> Floats:
        """Return the mean effects of rows against reference cases.

        Parameters
        ----------
        ranks : (n_rows, n_ranked)
            Of the explained rows, from ``ranks``.
        references : (n_references, n_ranked)
            Of the reference cases, one or more.
        score
            Index of the class, or 0 for the value of a regression.
        weights : (n_references,)
            How much each reference case counts; positive. They are divided by their sum. None: all count alike.

        Returns
        -------
        (n_rows, n_players) float64
            In the scale. Each row adds up, but for rounding, to its raw score less the mean raw score of the
            references. A player that no tree tests has 0.

        Raises
        ------
        InvalidInput
            Where there is no reference, or weights or the score do not fit.
        """
        shares = self._shares(references, weights)
        if not 0 <= score < len(self.scores.signs):
            detail = f"The model has {len(self.scores.signs)} scores; there is no score {score}."
            raise InvalidInput(detail)
        effects = np.zeros((len(ranks), self.n_players))
        values, trees = self.scores.values_of(score), self.scores.trees_of(score)
        ranks, references = np.ascontiguousarray(ranks), np.ascontiguousarray(references)
        n_rows, n_references = len(ranks), len(references)
        if self.has_patterns and n_references > _MOST_WALKED:
            columns = np.ascontiguousarray(ranks.T), np.ascontiguousarray(references.T)
            room = new_patterns(n_rows), new_patterns(n_references), self.depth
            add_mean_effects(self.paired, trees, columns, (shares, values), room, effects)
            effects *= self.scores.signs[score]
        else:
            first, signs = np.zeros(n_rows, np.int64), np.full(n_rows, self.scores.signs[score])
            compared = (ranks, references), UNKNOWN_LEAVES, first, n_references
            add_effects(self.paired, trees, *compared, shares, values, signs, effects)
        return effects

    def effects_of_pairs(
        self,
        ranks: NDArray[np.uint16],
        references: NDArray[np.uint16],
        pairs: Ints,
        scores: Ints,
        leaves: tuple[Leaves, Leaves] = UNKNOWN_LEAVES,
    ) -> Floats:
        """Return the effects of rows against one reference case each, the same as ``mean_effects`` of each row alone.

        Parameters
        ----------
        ranks : (n_rows, n_ranked)
            Of the explained rows, from ``ranks``.
        references : (n_references, n_ranked)
            Of all reference cases.
        pairs : (n_rows,)
            The reference case of each row.
        scores : (n_rows,)
            The score that the effects of each row are on.
        leaves : (n_rows, n_trees) and (n_references, n_trees)
            Of the explained rows and of all reference cases, where they are known: it takes less time then.

        Returns
        -------
        (n_rows, n_players) float64
        """
        effects, weights = np.zeros((len(ranks), self.n_players)), _ones(len(references))
        signs = self.scores.signs[scores]
        kinds = [self.scores.distinct[score] for score in scores.tolist()]
        for kind in sorted(set(kinds)):
            values, trees = self.scores.values[kind], self.scores.trees[kind]
            if kinds.count(kind) == len(kinds):
                add_effects(self.paired, trees, (ranks, references), leaves, pairs, 1, weights, values, signs, effects)
                break
            rows = [row for row, of_row in enumerate(kinds) if of_row == kind]
            some, of_rows = np.zeros((len(rows), self.n_players)), (leaves[0][rows] if len(leaves[0]) else leaves[0])
            pairs_of_kind = (ranks[rows], references), (of_rows, leaves[1]), pairs[rows], 1
            add_effects(self.paired, trees, *pairs_of_kind, weights, values, signs[rows], some)
            effects[rows] = some
        return effects

    def _shares(self, references: NDArray[np.uint16], weights: Floats | None) -> Floats:
        if len(references) == 1 and weights is None:
            return _ONE
        if not len(references):
            detail = "Effects need at least one reference case."
            raise InvalidInput(detail, field="reference")
        if weights is None:
            return np.full(len(references), 1 / len(references))
        if len(weights) != len(references) or not (np.isfinite(weights) & (weights >= 0)).all() or not sum(weights) > 0:
            detail = "Reference cases need one weight each, none below 0, and some above."
            raise InvalidInput(detail, field="reference")
        return np.asarray(weights / np.sum(weights), np.float64)


@lru_cache(maxsize=64)
def _ones(n: int) -> Floats:
    return np.ones(n)


def _paired(trees: RankedTrees, players: Players, max_depth: int) -> PairedTrees:
    shares, words = leaf_shares(min(max_depth, len(players.names))), trees.words
    of_ranked = trees.players(players.of_column)
    return PairedTrees(words.words, words.layout, words.starts, trees.leaf, of_ranked, *shares)


def _scale(description: ModelDescription) -> Scale:
    if description.raw_scores is not None and description.raw_scores.link is not None:
        return "log_odds"
    return "probability" if description.score_kind == "probability" else "value"


def players_in_order(effects: Floats) -> tuple[Ints, Ints, Floats]:
    """Return all players of rows, the largest effect first, of equal ones the first; how many have some; the sums."""
    return _orders(effects) if effects.shape[1] <= _FEW_PLAYERS else _orders_of_many(effects)


def _orders_of_many(effects: Floats) -> tuple[Ints, Ints, Floats]:
    """Do the same as ``_orders``; of many players it takes less."""
    orders = np.argsort(-np.abs(effects), axis=1, kind="stable")
    return orders, np.count_nonzero(effects, axis=1), np.add.reduce(effects, axis=1)


def _types(n: Any) -> list[Any]:
    return [n.Tuple((n.int64[:, ::1], n.int64[::1], n.float64[::1]))(n.float64[:, ::1])]


@compiled_ahead(_types)
def _orders(effects: Floats) -> tuple[Ints, Ints, Floats]:
    orders, counts, totals = np.empty(effects.shape, np.int64), np.zeros(len(effects), np.int64), np.zeros(len(effects))
    sums = np.empty(8)
    for row in range(effects.shape[0]):
        totals[row] = _sum(effects[row], sums)
        for player in range(effects.shape[1]):
            size = abs(effects[row, player])
            counts[row] += size != 0
            at = player
            while at and abs(effects[row, orders[row, at - 1]]) < size:
                orders[row, at] = orders[row, at - 1]
                at -= 1
            orders[row, at] = player
    return orders, counts, totals


@inlined_reader
def _sum(numbers: Floats, sums: Floats) -> Any:  # numba's own number
    """Return the sum of some numbers, to the last digit as numpy adds up 128 of them at most: eight sums at a time."""
    n_numbers = len(numbers)
    n_by_eight = n_numbers - n_numbers % 8
    sums[:] = 0.0
    for at in range(n_by_eight):
        sums[at % 8] += numbers[at]
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    for at in range(n_by_eight, n_numbers):
        total += numbers[at]
    return total


def points_of_probability(
    effects: EnsembleEffects,
    ranks: NDArray[np.uint16],
    references: NDArray[np.uint16],
    score: int,
    weights: Floats,
) -> Floats:
    """Return mean effects on log-odds of two classes in points of probability, by the rescale rule.

    The effects of a row against each reference case are multiplied by the slope between these two, and then averaged:
    they add up to the row's probability less the mean probability of the reference cases. More than two classes have
    no such points: the probability of one depends on the raw scores of all.

    Parameters
    ----------
    effects
        Of a model that has points.
    ranks : (n_rows, n_ranked)
        Of the explained rows.
    references : (n_references, n_ranked)
        Of the reference cases.
    score
        Index of the class.
    weights : (n_references,)
        Of the reference cases, adding up to 1.

    Returns
    -------
    (n_rows, n_players) float64
        From -1 to 1 in each row's sum.
    """
    raw, reference_raw = (effects.raw_scores(each)[:, score].tolist() for each in (ranks, references))
    points = np.empty((len(ranks), effects.n_players))
    for row in range(len(ranks)):
        slopes = [points_per_log_odds(raw[row], each) for each in reference_raw]
        scaled = weights * np.array(slopes)
        points[row] = effects.mean_effects(ranks[row : row + 1], references, score, scaled)[0] * scaled.sum()
    return points


def points_per_log_odds(raw: float, reference_raw: float) -> float:
    """Return the difference of two probabilities, divided by that of their log-odds; where that is 0, the slope."""
    difference = raw - reference_raw
    if abs(difference) > 1:
        return 0.5 * (tanh(raw / 2) - tanh(reference_raw / 2)) / difference
    if max(abs(raw), abs(reference_raw)) > _FLAT:
        return 0.0
    # Of probabilities that are nearly the same, the difference would have few digits.
    ratio = sinh(difference / 2) / (difference / 2) if difference else 1.0
    return ratio / (4 * cosh(raw / 2) * cosh(reference_raw / 2))


def mean_absolute_effects(effects: Floats) -> Floats:
    """Return how large the effects of each player are on average, (n_players,), from those of rows."""
    if not len(effects):
        detail = "Mean effects need at least one row."
        raise InvalidInput(detail)
    return np.asarray(np.abs(effects).mean(axis=0))


def probabilities(raw: Floats, link: Link | None) -> Floats:
    """Return what a link makes of raw scores, (n_rows, n_scores)."""
    if link is None:
        return raw
    if link == "logistic":
        return np.asarray(0.5 * (1 + np.tanh(raw / 2)))  # without an overflow
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
