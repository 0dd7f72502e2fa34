"""Which proximity a request means: said by the caller, or known from the model."""

from typing import Literal

from schemas.artefacts import ProximityKind
from schemas.models import Model
from storage.errors import StorageError


def known_kind(asked: ProximityKind, model: Model) -> Literal["random_forest", "boosting"]:
    """Return the kind asked for, which for ``auto`` is the model's own.

    Raises
    ------
    StorageError
        ``ensemble_unknown`` where the model's own is not known.
    """
    kind = model.ensemble if asked == "auto" else asked
    if kind is None or kind == "other":
        detail = (
            f"whether model {model.id!r} averages or adds its trees is not known, so `proximity_kind` cannot be auto: "
            "give `proximity_kind`, or register the model with `ensemble` in its metadata"
        )
        raise StorageError("ensemble_unknown", detail, "/proximity_kind")
    return kind
