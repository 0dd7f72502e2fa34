"""Operations: what the functions of ``contract/`` return: a request as data, which knows how its answer is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import quote

from .fields import UNSET, File, codecs_of
from .records import Record

if TYPE_CHECKING:
    import httpx

Answer = TypeVar("Answer")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Request(Generic[Answer]):
    """One request of an operation; parameters that are ``None`` or left out are not sent."""

    method: str
    url: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Record | None = None
    answer: type[Answer] | Mapping[int, type[Answer]] | None = None
    """The class of the answer, by status where there are several; ``None`` where it is no JSON."""

    def with_header(self, name: str, value: str) -> "Request[Answer]":
        """Return the request with another header."""
        return replace(self, headers={**self.headers, name: value})

    def answered_by(self, kind: type[Other]) -> "Request[Other]":
        """Return the request as one that has an answer of this class only."""
        return Request(self.method, self.url, self.query, self.headers, self.body, kind)

    def content(self) -> dict[str, Any]:
        """Return query and body in httpx's own words."""
        query = {"params": sent} if (sent := _present(self.query)) else {}
        return query if self.body is None else {**query, **_body(self.body)}

    def sent_headers(self) -> dict[str, str]:
        """Return the headers that have a value."""
        return _present(self.headers)

    def read(self, response: "httpx.Response") -> Answer:
        """Return the answer of a successful response.

        Raises
        ------
        KeyError
            If a field is missing, with its name.
        TypeError, ValueError, AttributeError
            If the answer is something else.
        """
        kind: Any = self.answer
        if isinstance(kind, Mapping):
            kind = kind[response.status_code] if response.status_code in kind else next(iter(kind.values()))
        answer: Answer = kind.from_dict(response.json())
        return answer


def segment(value: object) -> str:
    """Return a value as one segment of a path."""
    return quote(str(value), safe="")


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value is not UNSET}


def _body(body: Record) -> dict[str, Any]:
    parts = [(codec.key, getattr(body, codec.name)) for codec in codecs_of(type(body))]
    if not any(isinstance(item, File) for _, value in parts for item in _items(value)):
        return {"json": body.to_dict()}
    return {"files": [(key, _part(item)) for key, value in parts if value is not UNSET for item in _items(value)]}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _part(value: object) -> tuple[str | None, Any, str | None]:
    """Return a part of a form: a file, or a text."""
    if isinstance(value, File):
        return value.file_name, value.payload, value.mime_type
    return None, str(value).encode(), "text/plain"
