"""Labels in the caller's own type: the service has text, a caller who registered a model with 0 and 1 gets 0 and 1.

A client knows the labels of the models that it registered itself, and those that ``client.models.use_labels`` names.
Those of other models stay text.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from .errors import Invalid
from .records import Record
from .rows import plain_cell, spelled

Label: TypeAlias = str | int | float | bool
"""A class, as the caller has it."""
T = TypeVar("T")

_FIELDS_WITH_LABELS = frozenset({"label", "predicted", "target", "prediction", "of", "outcome", "score_of"})


class KnownLabels:
    """What one client knows of labels: for models, by id and by the SHA-256 of the file, labels by their text."""

    def __init__(self) -> None:
        self._of_models: dict[str, Mapping[str, Label]] = {}

    def remember(self, names: Sequence[str], labels: Mapping[str, Label]) -> None:
        """Keep the labels of a model that has these names; the last ones count."""
        if labels:
            self._of_models.update(dict.fromkeys(names, labels))

    def of(self, name: str) -> Mapping[str, Label]:
        """Return labels by their text; none of a model that nobody registered or named here."""
        return self._of_models.get(name, {})


def labels_by_text(classes: Iterable[Any]) -> dict[str, Label]:
    """Return labels as plain values of Python, by the text that the service has for each.

    Parameters
    ----------
    classes
        Labels in the order of the scores, such as ``forest.classes_``; values of numpy become those of Python.

    Raises
    ------
    Invalid
        For labels that are neither texts, numbers nor booleans.
    """
    cells = [plain_cell(label, f"class {label!r}") for label in classes]
    return {spelled(cell): label for cell, label in zip(cells, map(_present, cells), strict=True)}


def _present(cell: Label | None) -> Label:
    if cell is None:
        raise Invalid("validation_failed", "a class is missing (not-a-number or None); give each class a value")
    if cell == "":
        detail = (
            "a class is an empty text; fit the model on labels that have a name each, such as y.replace('', 'none')"
        )
        raise Invalid("validation_failed", detail)
    return cell


def with_labels(record: T, labels: Mapping[str, Label]) -> T:
    """Return a record, or a list of records, with its labels in the caller's own type; what it holds stays as it is."""
    if not labels:
        return record
    changed: T = _changed(record, labels)
    return changed


def _changed(value: Any, labels: Mapping[str, Label]) -> Any:  # of each field its own
    """Return the value itself where it holds no label: most of an explanation is reasons."""
    if isinstance(value, list):
        items = [_changed(item, labels) for item in value]
        return value if all(map(operator.is_, items, value)) else type(value)(items)
    if not isinstance(value, Record):
        return value
    changed = {}
    for name in type(value).__defaults__:
        part = getattr(value, name)
        own = labels.get(part, part) if _is_label(name, part) else _changed(part, labels)
        if own is not part:
            changed[name] = own
    return value.__replace__(**changed) if changed else value


def _is_label(name: str, value: object) -> bool:
    return name in _FIELDS_WITH_LABELS and isinstance(value, str)
