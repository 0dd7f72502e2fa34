"""Slow, obvious twins of the quality measures: a dense matrix of proximities, one row and one prototype at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log, nan, sqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NaiveQuality:
    """Measures of prototypes for some rows, each straight from its definition."""

    proximity: NDArray[np.float64]  # (n_rows, n_prototypes) in [0, 1]
    row_classes: Sequence[int]
    prototype_classes: Sequence[int]
    n_classes: int

    @property
    def rows(self) -> range:
        return range(len(self.row_classes))

    @property
    def prototypes(self) -> range:
        return range(len(self.prototype_classes))

    def nearest_of(self, row: int, prototypes: Sequence[int]) -> int | None:
        """Return the first of the nearest, or nobody where no leaf is shared."""
        best = None
        for prototype in prototypes:
            if self.proximity[row, prototype] > (0 if best is None else self.proximity[row, best]):
                best = prototype
        return best

    def of_class(self, own: int) -> list[int]:
        return [prototype for prototype in self.prototypes if self.prototype_classes[prototype] == own]

    def votes(self, prototype: int) -> list[int]:
        return [row for row in self.rows if self.nearest_of(row, self.prototypes) == prototype]

    def covers(self, prototype: int) -> list[int]:
        own = self.prototype_classes[prototype]
        rivals = self.of_class(own)
        return [row for row in self.rows_of(own) if self.nearest_of(row, rivals) == prototype]

    def rows_of(self, own: int) -> list[int]:
        return [row for row in self.rows if self.row_classes[row] == own]

    def coverage(self, prototype: int) -> float:
        return _share(len(self.covers(prototype)), len(self.rows_of(self.prototype_classes[prototype])))

    def voting_frequency(self, prototype: int) -> float:
        return len(self.votes(prototype)) / len(self.rows)

    def consistent_votes(self, prototype: int) -> float:
        if self.n_classes == 1:
            return nan
        own = self.prototype_classes[prototype]
        votes = self.votes(prototype)
        return _share(sum(self.row_classes[row] == own for row in votes), len(votes))

    def vote_entropy(self, prototype: int) -> float:
        voters = [self.row_classes[row] for row in self.votes(prototype)]
        return _evenness([voters.count(each) for each in range(self.n_classes)])

    def in_class_similarity(self, prototype: int) -> float:
        return _mean([self.proximity[row, prototype] for row in self.rows_of(self.prototype_classes[prototype])])

    def out_of_class_similarity(self, prototype: int) -> float:
        own = self.prototype_classes[prototype]
        return _mean([self.proximity[row, prototype] for row in self.rows if self.row_classes[row] != own])

    def mean_distance(self, prototype: int) -> float:
        return _mean([1 - self.proximity[row, prototype] for row in self.votes(prototype)])

    def distance_deviation(self, prototype: int) -> float:
        return _deviation([1 - self.proximity[row, prototype] for row in self.votes(prototype)])

    def class_coverage(self, own: int) -> float:
        rows = self.rows_of(own)
        return _share(sum(self.proximity[row, self.of_class(own)].max(initial=0) > 0 for row in rows), len(rows))

    def class_hubness_entropy(self, own: int) -> float:
        return _evenness([len(self.covers(prototype)) for prototype in self.of_class(own)])

    def set_measures(self) -> dict[str, float]:
        """Return the measures of all prototypes together, by name."""
        voted = [self.nearest_of(row, self.prototypes) for row in self.rows]
        voters = [row for row in self.rows if voted[row] is not None]
        right = sum(self.prototype_classes[voted[row] or 0] == self.row_classes[row] for row in voters)
        distances = [1 - max(self.proximity[row]) for row in self.rows]
        return {
            "coverage": sum(len(self.covers(prototype)) for prototype in self.prototypes) / len(self.rows),
            "voting_frequency": len(voters) / len(self.rows),
            "consistent_votes": nan if self.n_classes == 1 else _share(right, len(voters)),
            "hubness_entropy": _mean([self.class_hubness_entropy(own) for own in range(self.n_classes)]),
            "in_class_similarity": _mean([self.in_class_similarity(prototype) for prototype in self.prototypes]),
            "out_of_class_similarity": _mean([self.out_of_class_similarity(each) for each in self.prototypes]),
            "mean_distance": _mean(distances),
            "distance_deviation": _deviation(distances),
        }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else nan


def _mean(values: list[float]) -> float:
    numbers = [value for value in values if not isnan(value)]
    return sum(numbers) / len(numbers) if numbers else nan


def _deviation(values: list[float]) -> float:
    mean = _mean(values)
    return sqrt(_mean([(value - mean) ** 2 for value in values])) if values else nan


def _evenness(counts: list[int]) -> float:
    """Entropy over its largest possible value, in any unit."""
    if len(counts) < 2 or sum(counts) == 0:  # one kind alone is neither even nor uneven
        return nan
    shares = [count / sum(counts) for count in counts if count]
    return -sum(share * log(share) for share in shares) / log(len(counts))
