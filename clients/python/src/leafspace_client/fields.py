"""Fields of records: which may be left out, and how their values come from JSON and go there, by their types.

The classes of ``contract/`` declare fields as dataclasses do. ``RecordType`` makes slots of them when a class is made;
their types are looked at when the first record of the class is read or written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    BinaryIO,
    Final,
    Literal,
    NamedTuple,
    TypeAlias,
    Union,
    dataclass_transform,
    final,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from inspect import Signature

Convert: TypeAlias = Callable[[Any], Any]


@final
class Unset:
    """The type of ``UNSET``, which is falsy."""

    __slots__ = ()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        return "UNSET"  # a copy is the same one


UNSET: Final = Unset()
"""The value of a field that is left out."""
REQUIRED: Final[Any] = object()
"""In place of a default: the field must be there."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to upload: what it holds, its name and its media type."""

    payload: BinaryIO
    file_name: str | None = None
    mime_type: str | None = None


class Tag(NamedTuple):
    """The field that says of which class a member of a union is."""

    field: str


class Codec(NamedTuple):
    """How a field is read from JSON and written there; ``None``: as it is."""

    name: str
    key: str
    default: Any
    read: Convert | None
    write: Convert | None


@dataclass_transform(kw_only_default=True)
class RecordType(type):
    """The type of all classes of records: each annotated name is a field, and a slot; its value is the default."""

    __defaults__: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "RecordType":
        """Make a class of records; those that derive from it inherit its fields."""
        declared = {field: namespace.pop(field, REQUIRED) for field in namespace.get("__annotations__", ())}
        namespace.setdefault("__slots__", tuple(declared))
        kind = super().__new__(cls, name, bases, namespace)
        kind.__defaults__ = getattr(kind, "__defaults__", {}) | declared
        return kind

    @property
    def __signature__(cls) -> "Signature":
        from inspect import Parameter, Signature  # 10 ms that only help() and editors need

        fields = {name: Parameter.empty if value is REQUIRED else value for name, value in cls.__defaults__.items()}
        return Signature([Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in fields.items()])


@cache
def codecs_of(kind: RecordType) -> tuple[Codec, ...]:
    """Return how the fields of a class are read and written, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        Codec(name, key_of(name), default, _reader(hints[name]), _writer(hints[name]))
        for name, default in kind.__defaults__.items()
    )


def key_of(name: str) -> str:
    """Return the name of a field, or of a parameter, in JSON: without what keeps it apart from a name of Python."""
    return name.rstrip("_")


@cache
def _reader(hint: Any) -> Convert | None:
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, RecordType):
        return hint.from_dict  # type: ignore[attr-defined, no-any-return]  # all records have it
    if hint is datetime:
        return datetime.fromisoformat
    if origin is list or origin is dict:
        read = _reader(arguments[-1])
        return partial(_list_of if origin is list else _dict_of, read) if read else None
    if origin is Annotated:
        tag, members = hint.__metadata__[0].field, get_args(get_args(hint)[0])
        kinds = {value: kind for kind in members for value in _values_of(get_type_hints(kind)[tag])}
        return partial(_by_tag, tag, kinds)
    return _union_reader(arguments) if origin in {Union, UnionType} else None


def _union_reader(members: Iterable[Any]) -> Convert | None:
    """Return what reads the one member of a union that is not read as it is; ``None``, if there is none such."""
    members = [member for member in members if member not in (NoneType, Unset)]
    readers = [read for read in map(_reader, members) if read]
    if not readers:
        return None
    if len(members) > 1:
        message = f"{members} cannot be distinguished without a tag"
        raise TypeError(message)
    read = readers[0]
    return lambda value: None if value is None else read(value)


def _values_of(hint: Any) -> list[Any]:
    """Return the values of all ``Literal`` in a type."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [value for member in get_args(hint) for value in _values_of(member)]


def _by_tag(tag: str, members: dict[str, Any], value: Any) -> Any:
    *_, last = members.values()  # also for a tag that this release of the client does not know
    return members.get(value.get(tag), last).from_dict(value)


def _list_of(convert: Convert, values: Any) -> list[Any]:
    return [convert(value) for value in values]


def _dict_of(convert: Convert, values: Any) -> dict[str, Any]:
    return {key: convert(value) for key, value in values.items()}


@cache
def _writer(hint: Any) -> Convert | None:
    """Return what writes values of a type, or ``None`` where they are JSON: a list of numbers is not looked through."""
    return None if _reader(hint) is None else written


def written(value: Any) -> Any:
    """Return a value of a field as JSON has it."""
    if isinstance(type(value), RecordType):
        return value.to_dict()
    if isinstance(value, list):
        return [written(item) for item in value]
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    return _time_text(value) if isinstance(value, datetime) else value


def _time_text(time: datetime) -> str:
    text = time.isoformat()
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text
