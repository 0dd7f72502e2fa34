"""The goal of a node's test, by which families of candidates are scored."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .candidate_scores import TIE, Sample, Split, Targets, best_of, best_of_groups, level_sums, mixed
from .queries import Operator

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_ABOVE: Operator = ">"
_UP_TO: Operator = "<="


class Best(NamedTuple):
    """The best test of a family, and its score."""

    score: float
    operator: Operator | None  # None: that there is a binding at all
    constant: float  # the index of a level, or a cut; 0 where there is none


@dataclass(frozen=True, slots=True)
class NodeGoal:
    """What the tests of a node are scored by: gain (equations 2 and 3, on weights), its ratio, or reduced variance.

    Each test is a candidate with the probability ``share``: this depends on the node's key, the family and the
    constant alone.
    """

    targets: Targets  # (n_examples,) each; values are empty where there are classes
    totals: Floats  # (n_classes,) weights of the node; of regression (2,): the weight, and the weighted sum of values
    logs: Floats  # (total weight + 1,) x log2 x of whole numbers; empty where weights are others
    min_weight: float  # of the examples on each side
    ratio: bool  # whether gain is divided by the entropy of the two shares
    share: float = 1.0
    key: int = 0

    def best_level(self, examples: Ints, codes: Ints, n_levels: int, family: int, *, may_miss: bool) -> Best | None:
        """Return the best of ``= level``, levels ascending, and ``is_missing``.

        Parameters
        ----------
        examples, codes
            (n,) of bindings by example: the example, and the code of the level or MISSING.
        n_levels
            Number of levels.
        family
            Key of the family.
        may_miss
            Whether ``is_missing`` is a candidate.
        """
        sums = level_sums(examples, codes, self.targets, (n_levels, len(self.totals)))
        index, score = best_of(sums if may_miss else sums[:n_levels], self._split(), self._sample(family))
        if index < 0:
            return None
        return Best(score, "is_missing", 0.0) if index == n_levels else Best(score, "=", float(index))

    def best_bare(self, examples: Ints, family: int) -> Best | None:
        """Return the test whether an example has a binding; ``None`` where all or no examples have one."""
        best = self.best_level(examples, np.zeros(len(examples), np.int32), 1, family, may_miss=False)
        return None if best is None else Best(best.score, None, 0.0)

    def best_cut(self, examples: Ints, values: Singles, grid: Singles, family: int, *, may_miss: bool) -> Best | None:
        """Return the best of ``> cut``, ``<= cut``, cuts ascending, and ``is_missing``.

        Parameters
        ----------
        examples, values
            (n,) of bindings by example: the example, and the number or NaN.
        grid
            Ascending cuts that alone are candidates; empty: all cuts halfway between values.
        family, may_miss
            As in ``best_level``.
        """
        best_of_groups = self.best_group(examples, values.reshape(1, -1), grid, family)
        best = None if best_of_groups is None else best_of_groups[1]
        if may_miss:
            codes = np.where(np.isnan(values), np.int32(0), np.int32(1))
            sums = level_sums(examples, codes, self.targets, (1, len(self.totals)))
            _, score = best_of(sums[:1], self._split(), self._sample(family))
            if score > (0.0 if best is None else best.score + TIE):
                return Best(score, "is_missing", 0.0)
        return best

    def best_group(self, examples: Ints, values: Singles, grid: Singles, family: int) -> tuple[int, Best] | None:
        """Return the best cut of a family of several numbers, and the number's index; the first of equal ones.

        ``values`` are (n_numbers, n); the rest is as in ``best_cut``.
        """
        index, sign, cut, score = best_of_groups(examples, values, grid, self._split(), self._sample(family))
        return None if index < 0 else (index, Best(score, _ABOVE if sign > 0 else _UP_TO, cut))

    def _split(self) -> Split:
        return self.targets, self.totals, self.logs, float(self.min_weight), bool(self.ratio)

    def _sample(self, family: int) -> Sample:
        return float(self.share), np.uint64(mixed(self.key, family) if self.share < 1 else 0)
