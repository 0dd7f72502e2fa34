"""The kind of proximity of a request: named by the caller, or known from the model."""

from typing import Literal

from schemas.artefacts import ProximityKind
from schemas.models import Model
from storage.errors import StorageError


def known_kind(requested: ProximityKind, model: Model) -> Literal["random_forest", "boosting"]:
    """Return the requested kind, which for ``auto`` is the model's own.

    Raises
    ------
    StorageError
        ``ensemble_unknown`` where the model's own is not known.
    """
    kind = model.ensemble if requested == "auto" else requested
    if kind is None or kind == "other":
        detail = (
            f"whether model {model.id!r} averages or adds its trees is not known, so `kind` cannot be `auto`: "
            "say `kind`, or register the model with `ensemble` in its metadata"
        )
        raise StorageError("ensemble_unknown", detail, "/kind")
    return kind
