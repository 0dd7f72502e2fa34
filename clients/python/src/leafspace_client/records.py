"""Records: what the generated classes of answers can do beside holding fields, and lists of them.

A record shows itself in a line, gives its fields by name (``record["row_id"]``), and a summary says where the rest is.
The generated classes derive from it: scripts/generate_client.py writes that into them.
"""

from collections.abc import Iterable, Sequence
from logging import getLogger
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

_SHOWN_CHARACTERS = 200  # of a record
_SHOWN_OF_A_TEXT = 40
_SHOWN_ITEMS = 3  # of a list
_SHOWN_NAMES = 20  # of columns
_LOG = getLogger("leafspace_client")


class Record:
    """An answer of the service, or a part of one."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  # of each field its own
        if name not in _field_names(self):
            raise KeyError(name)
        return getattr(self, name)

    def __repr__(self) -> str:
        return "\n".join([self._line(), *(f"Warning: {warning.detail}" for warning in self._warnings())])

    def _warnings(self) -> list[Any]:
        """Return what the service warns of, which is shown however long the record is."""
        warnings = getattr(self, "warnings", ()) if "warnings" in _field_names(self) else ()
        return [] if _is_absent(warnings) else [each for each in warnings if hasattr(each, "detail")]

    def _line(self) -> str:
        shown = f"{type(self).__name__}("
        fields = ((name, getattr(self, name)) for name in _field_names(self))
        for number, (name, value) in enumerate((name, value) for name, value in fields if not _is_absent(value)):
            part = f"{', ' if number else ''}{name.rstrip('_')}={_short(value)}"
            if len(shown) + len(part) > _SHOWN_CHARACTERS:
                return f"{shown}, …)"
            shown += part
        return f"{shown})"

    if not TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # never returns
            hint = "; lists hold summaries: the collection's get() has all fields"
            is_summary = type(self).__name__.endswith("Summary") and not name.startswith("_")
            message = f"{type(self).__name__} has no field {name!r}{hint if is_summary else ''}"
            raise AttributeError(message, name=name, obj=self)


class Records(list[T]):
    """A list that shows its first items only, and which columns of the rows nobody read."""

    ignored_columns: tuple[str, ...] = ()
    """Columns that the model does not read, the first 100; only answers about rows that were sent have such."""

    def __repr__(self) -> str:
        rest = len(self) - _SHOWN_ITEMS
        shown = ", ".join(repr(item) for item in self[:_SHOWN_ITEMS])
        text = f"[{shown}]" if rest <= 0 else f"[{shown}, … {rest:,} more]"
        return text + (f"\n{ignored_line(self.ignored_columns)}" if self.ignored_columns else "")


def ignored_line(names: Sequence[str]) -> str:
    """Return the line that names ignored columns."""
    rest = len(names) - _SHOWN_NAMES
    return f"Ignored columns: {', '.join(names[:_SHOWN_NAMES])}{f' and {rest} more' if rest > 0 else ''}"


def warned_of_ignored(names: Iterable[str], why: str = "the model does not read them") -> tuple[str, ...]:
    """Return the distinct names, in their order; log a warning if there are any."""
    ignored = tuple(dict.fromkeys(names))
    if ignored:
        _LOG.warning("%s (%s)", ignored_line(ignored), why)
    return ignored


def _field_names(record: object) -> list[str]:
    return [field.name for field in getattr(type(record), "__attrs_attrs__", ()) if field.name != "object_"]


def _is_absent(value: object) -> bool:
    return value is None or type(value).__name__ == "Unset"


def _short(value: object) -> str:
    if isinstance(value, str) and len(value) > _SHOWN_OF_A_TEXT:
        return repr(f"{value[:_SHOWN_OF_A_TEXT]}…")
    if isinstance(value, Record):
        return f"<{type(value).__name__}>"
    if isinstance(value, list) and (
        len(value) > _SHOWN_ITEMS or any(isinstance(item, Record | list) for item in value)
    ):
        return f"<{len(value):,} items>"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
