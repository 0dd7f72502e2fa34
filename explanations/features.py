"""Features: what a model takes, as callers name it."""

from dataclasses import dataclass
from typing import Literal

from schemas.models import Model


@dataclass(frozen=True, slots=True)
class Features:
    """A model's raw features, in its order."""

    names: tuple[str, ...]
    types: tuple[Literal["number", "category"], ...]
    are_numbers: bool  # all of them

    @staticmethod
    def of(model: Model) -> "Features":
        """Return the features of a model."""
        return Features(tuple(model.feature_names), tuple(model.feature_types), "category" not in model.feature_types)
