"""Records: what the classes of ``contract/`` can do beside holding fields, and lists of them.

A record comes from JSON and goes there, shows itself in a line, and gives its fields by name (``record["row_id"]``); a
summary says where the rest is.
"""

from collections.abc import Iterable, Mapping, Sequence
from logging import getLogger
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .fields import REQUIRED, UNSET, RecordType, codecs_of, key_of
from .suggestions import did_you_mean

T = TypeVar("T")

_SHOWN_CHARACTERS = 200  # of a record
_SHOWN_OF_A_TEXT = 40
_SHOWN_ITEMS = 3  # of a list
_SHOWN_NAMES = 20  # of columns
_LOG = getLogger("leafspace_client")


class Record(metaclass=RecordType):
    """A message of the service, or a part of one; two are equal if they are of one class and have equal fields."""

    __slots__ = ("__weakref__",)
    __hash__ = None  # type: ignore[assignment]  # its fields may be changed

    def __init__(self, **values: Any) -> None:  # of each field its own
        for name, default in type(self).__defaults__.items():
            value = values.pop(name, default)
            if value is REQUIRED:
                message = f"{type(self).__name__} needs {name!r}"
                raise TypeError(message)
            setattr(self, name, value)
        if values:
            unknown = next(iter(values))
            near = did_you_mean(unknown, type(self).__defaults__)
            message = f"{type(self).__name__} has no field {unknown!r}{near}"
            raise TypeError(message)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the record that an object of JSON describes; fields that this class does not know are passed over.

        Raises
        ------
        KeyError
            If a field is missing, with its name.
        TypeError, ValueError, AttributeError
            If a value is of another kind than its field.
        """
        if not isinstance(values, Mapping):
            message = f"a {cls.__name__} is an object, not {values!r:.40}"
            raise TypeError(message)
        record = cls.__new__(cls)
        for name, key, default, read, _ in codecs_of(cls):
            value = values.get(key, default)
            if value is REQUIRED:
                raise KeyError(key)
            setattr(record, name, value if read is None or value is default else read(value))
        return record

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it, without fields that are ``UNSET``."""
        fields = ((key, getattr(self, name), write) for name, key, _, _, write in codecs_of(type(self)))
        return {key: write(value) if write else value for key, value, write in fields if value is not UNSET}

    def __replace__(self, **values: Any) -> Self:  # of each field its own
        return type(self)(**{name: getattr(self, name) for name in type(self).__defaults__} | values)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self).__defaults__)

    def __getitem__(self, name: str) -> Any:  # of each field its own
        if name not in _field_names(self):
            raise KeyError(name)
        return getattr(self, name)

    def __repr__(self) -> str:
        from .headlines import headline  # which pictures and fields need not have

        is_thing = "object_" in type(self).__defaults__
        return "\n".join([(is_thing and headline(self)) or self._line(), *warning_lines(self)])

    def _line(self) -> str:
        shown = f"{type(self).__name__}("
        fields = ((name, getattr(self, name)) for name in _field_names(self))
        for number, (name, value) in enumerate((name, value) for name, value in fields if not _is_absent(value)):
            part = f"{', ' if number else ''}{key_of(name)}={_short(value)}"
            if len(shown) + len(part) > _SHOWN_CHARACTERS:
                return f"{shown}, …)"
            shown += part
        return f"{shown})"

    if not TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name: str) -> Any:  # never returns
            near = "" if name.startswith("_") else did_you_mean(name, _field_names(self))
            hint = "; lists hold summaries: the collection's get() has all fields"
            is_summary = type(self).__name__.endswith("Summary") and not name.startswith("_")
            message = f"{type(self).__name__} has no field {name!r}{near or (hint if is_summary else '')}"
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


def warning_lines(holder: object) -> list[str]:
    """Return what the service warns of beside an answer, a line each, which is shown however long the answer is."""
    warnings = getattr(holder, "warnings", None) or ()
    return [f"Warning: {each.detail}" for each in warnings if hasattr(each, "detail")]


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
    return [name for name in getattr(type(record), "__defaults__", ()) if name != "object_"]


def _is_absent(value: object) -> bool:
    return value is None or value is UNSET


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
