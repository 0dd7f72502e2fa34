"""In which features two rows differ most: what a number of a row alone does not say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .scales import Axis

Json = Mapping[str, Any]

N_DIFFERENCES = 4


@dataclass(frozen=True, slots=True)
class Difference:
    """A feature in which a row differs from others."""

    feature: str
    value: Any  # of the row; a cell
    others: tuple[Any, ...]  # of the one that it is compared with; of several, see ``_distinct``


@dataclass(frozen=True, slots=True)
class Differences:
    """Compares rows feature by feature.

    Parameters
    ----------
    axes
        Of the features with numbers, by name: two values are as far apart as they are on it. Others are equal or not.
    weights
        How much each feature counts, such as the share of a model's splits that test it; empty: all alike.
    """

    axes: Mapping[str, Axis | None]
    weights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def among(cls, dataset: Json | None, rows: Sequence[Json], usage: Iterable[Json] = ()) -> "Differences":
        """Return what compares rows of a dataset; features that it does not describe have an axis from the rows.

        Parameters
        ----------
        rows
            Values by feature.
        usage
            As ``GET /v1/models/{id}/features`` answers it.
        """
        columns = {column["name"]: column for column in (dataset or {}).get("columns", ())}
        names = dict.fromkeys(name for row in rows for name in row)
        axes = {name: Axis.of(columns.get(name)) or _axis_of([row.get(name) for row in rows]) for name in names}
        return cls(axes, {each["feature"]: each["share_of_questions"] for each in usage})

    def between(self, name: str, one: Any, other: Any) -> float:  # cells
        """Return how far two values of a feature are apart, 0 to 1."""
        axis = self.axes.get(name)
        if axis is None or isinstance(one, str | None) or isinstance(other, str | None):
            return float(one != other)
        return abs(axis.place(one) - axis.place(other))

    def of(self, row: Json, others: Sequence[Json], n_most: int = N_DIFFERENCES) -> list[Difference]:
        """Return the features in which a row is farthest from the nearest of others, by weight; ties by their order.

        Parameters
        ----------
        row, others
            Values by feature.
        """
        sizes = {
            name: self._weight(name) * min(self.between(name, value, other.get(name)) for other in others)
            for name, value in row.items()
        }
        most = sorted((name for name in sizes if sizes[name] > 0), key=lambda name: -sizes[name])[:n_most]
        return [Difference(name, row[name], _distinct([other.get(name) for other in others])) for name in most]

    def _weight(self, name: str) -> float:
        return self.weights.get(name, 0.0) if self.weights else 1.0


def _axis_of(values: Sequence[Any]) -> Axis | None:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return Axis((min(numbers), max(numbers)), by_rank=False) if numbers and min(numbers) < max(numbers) else None


def _distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the different values: of numbers the lowest and the highest, then the others in their order."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    ends = (min(numbers), max(numbers)) if numbers else ()
    return tuple(dict.fromkeys([*ends, *(value for value in values if value not in numbers)]))
