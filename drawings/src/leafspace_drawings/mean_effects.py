"""By how much each feature counts on average: the mean sizes of effects over reference rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .columns import ColumnName, ColumnNames

Json = Mapping[str, Any]

_EFFECTS_LISTED = 12  # features


@dataclass(frozen=True, slots=True)
class OverRows:
    """What is known of the reference rows of an explainer."""

    coverage: Json | None = None  # of these rows by prototypes, as prototype sets have it in ``row_coverage``
    effects: Json | None = None  # the mean sizes of their effects, how many rows these are, and the scale
    names: ColumnNames = field(default_factory=lambda: ColumnNames(None))  # what the columns are called

    @property
    def lines(self) -> list[tuple[ColumnName, float, float]]:
        """The features that count most, with the mean size of their effects, and that as a share of the largest."""
        sizes = [] if self.effects is None else self.effects["mean_absolute_effects"]
        listed = [(self.names[each["feature"]], float(each["effect"])) for each in sizes[:_EFFECTS_LISTED]]
        return [(name, size, size / listed[0][1]) for name, size in listed]

    @property
    def rest(self) -> tuple[int, float]:
        """How many other features have effects, and the sum of their mean sizes."""
        sizes = [] if self.effects is None else self.effects["mean_absolute_effects"][_EFFECTS_LISTED:]
        return len(sizes), sum(each["effect"] for each in sizes)
