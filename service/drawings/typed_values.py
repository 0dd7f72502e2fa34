"""Values that somebody typed or pasted, as a model takes them; what cannot be a value is refused by feature."""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from leafspace_drawings import RefusedValue, text_of

from storage.errors import StorageError
from tree_explainers.wording import did_you_mean

from .documents import Json

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_CHARACTERS_SHOWN = 80
OWN, CHANGED = "of.", "set."  # before the name of a feature: its value in a new row, and one that it is changed to


@dataclass(frozen=True, slots=True)
class TypedValues:
    """Values by feature, and the texts that are none."""

    values: Json = field(default_factory=dict)  # as the model takes them
    refused: Mapping[str, RefusedValue] = field(default_factory=dict)

    @classmethod
    def read(cls, known: Json, texts: Mapping[str, str]) -> "TypedValues":
        """Read texts by feature.

        Raises
        ------
        StorageError
            ``unknown_feature`` for a feature that the model ``known`` does not have.
        """
        types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
        if unknown := [name[:_CHARACTERS_SHOWN] for name in texts if name not in types]:
            detail = f"the model has no feature {unknown[0]!r}{did_you_mean(unknown[0], types)}"
            raise StorageError("unknown_feature", detail, f"/{unknown[0]}")
        values, refused = {}, {}
        for name, text in texts.items():
            try:
                values[name] = value_of(text, types[name])
            except StorageError as error:
                refused[name] = RefusedValue(text, error.detail)
        return cls(values, refused)


def value_of(text: str, kind: str) -> float | bool | str | None:
    """Return what a field of the page says; an empty one is missing.

    Commas separate thousands, where they can; a decimal comma is refused.
    """
    if not text:
        return None
    if kind == "boolean":
        return text.lower() in {"yes", "true", "1"}
    if kind != "number":
        return text
    with suppress(ValueError):
        value = float(text.replace(",", "") if _THOUSANDS.fullmatch(text.strip()) else text)
        if math.isfinite(value):
            return value
    detail = f"{text[:_CHARACTERS_SHOWN]!r} is not a finite number; write one, such as 12.5"
    raise StorageError("validation_failed", detail)


def parameters_of(values: Json, changed: Json) -> dict[str, str]:
    """Return the parameters of an address that has a row's own values, but missing ones, and those changed to."""
    own = {f"{OWN}{name}": text for name, value in values.items() if (text := text_of(value))}
    return own | {f"{CHANGED}{name}": text_of(value) for name, value in changed.items()}


def query_of(parameters: Mapping[str, str]) -> str:
    """Return parameters as an address ends with them; nothing of none."""
    return f"?{urlencode(parameters, quote_via=quote)}" if parameters else ""


def texts_in(parameters: Mapping[str, str], beginning: str) -> dict[str, str]:
    """Return the texts by feature of an address's parameters that begin so."""
    return {name.removeprefix(beginning): text for name, text in parameters.items() if name.startswith(beginning)}
