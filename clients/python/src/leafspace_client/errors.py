"""Errors: why a call failed, one class for each kind of reaction that a caller may want.

Every error carries ``code`` (stable, machine-readable), ``detail`` (what to do), and where a service answered
``status``, ``request_id`` and ``errors`` (field by field). ``error_in`` makes them of answers, which need not come from
a Leafspace service: a proxy may answer, or any other server.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .remedies import call_that_helps
from .version import __version__

if TYPE_CHECKING:
    import httpx


class FieldError(NamedTuple):
    """What is wrong with one field or row of a request; ``pointer`` is a JSON pointer such as ``/n_prototypes``."""

    pointer: str
    detail: str
    code: str | None = None  # of the problem of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What an error knows of the answer it comes from; ``None`` where there was none."""

    status: int | None = None
    request_id: str | None = None
    errors: Sequence[FieldError] = ()
    n_attempts: int = 1


_NO_ANSWER = Answered()


class LeafspaceError(Exception):
    """Any failure of a call; as text it is its ``detail``, its code, and the call that helps, where there is one."""

    def __init__(self, code: str, detail: str, answered: Answered = _NO_ANSWER) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = answered.status
        self.request_id = answered.request_id
        self.errors = tuple(answered.errors)
        self.n_attempts = answered.n_attempts

    def __str__(self) -> str:
        request = f", request {self.request_id}" if self.request_id else ""
        text = f"{self.detail} [{self.code}{request}]"
        return f"{text}\nTry: {self.remedy}" if self.remedy else text

    @property
    def remedy(self) -> str:
        """The call of this package that helps, such as ``client.models.list()``; empty where none does."""
        return call_that_helps(self.code, self.detail)


class Invalid(LeafspaceError, ValueError):
    """The request, or what it carries, is not valid: correct it."""


class WrongArgument(Invalid, TypeError):
    """A call has an argument that its method does not take, or lacks one; nothing was sent."""


class CannotWrite(LeafspaceError, OSError):
    """A file cannot be written where it was requested."""


class NotFound(LeafspaceError, LookupError):
    """There is no such thing."""


class Conflict(LeafspaceError):
    """The request contradicts what is kept: something is in use, not ready, or changed meanwhile."""


class TooLarge(Invalid):
    """A file, a body or a number of rows is beyond what the service accepts."""


class Unauthenticated(LeafspaceError):
    """A valid key is needed: pass ``api_key``."""


class Forbidden(LeafspaceError):
    """The key does not allow this."""


class RateLimited(LeafspaceError):
    """Too many requests, also after waiting and trying again."""


class Unavailable(LeafspaceError):
    """The service cannot answer now, also after trying again."""


class ServerError(LeafspaceError):
    """Something failed in the service; it has logged it under ``request_id``."""


class UnexpectedAnswer(LeafspaceError):
    """The answer is not one of a Leafspace service."""


class ConnectionFailed(LeafspaceError, ConnectionError):
    """No answer came: the service is not there, or took too long."""


class JobFailed(LeafspaceError):
    """The job failed; ``job`` is its last state."""

    def __init__(self, code: str, detail: str, job: Any = None) -> None:  # a Job
        super().__init__(code, detail)
        self.job = job


class JobCancelled(JobFailed):
    """The job was cancelled."""


class JobNotFinished(LeafspaceError, TimeoutError):
    """The job goes on, but the time to wait for it is over."""


class CannotConvert(LeafspaceError, TypeError):
    """The model cannot be written as an ONNX tree ensemble."""


class MissingExtra(LeafspaceError, ImportError):
    """A library is needed that comes with an extra of this package."""


_KIND_OF_STATUS: dict[int, type[LeafspaceError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    408: Unavailable,
    409: Conflict,
    412: Conflict,
    413: TooLarge,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_FIRST_SERVER_ERROR = 500
_REDIRECTS = range(300, 400)


def missing_extra(library: str, extra: str, purpose: str) -> MissingExtra:
    """Return the error that names the command which installs what is missing."""
    detail = f'{purpose} needs {library}, which is not installed: pip install "leafspace-client[{extra}]"'
    return MissingExtra("missing_extra", detail)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Refuse a path that cannot be written, with the reason that the operating system gives."""
    try:
        yield
    except OSError as error:
        detail = f"cannot write {str(target)!r}: {error.strerror or error}; give the path of a file in a folder"
        raise CannotWrite("cannot_write", f"{detail} that exists and may be written") from error


def error_from_problem(problem: Mapping[str, Any], answered: Answered) -> LeafspaceError:
    """Return the error that a problem document describes; unknown codes and fields are fine."""
    status = answered.status or 0
    default = ServerError if status >= _FIRST_SERVER_ERROR else Invalid
    kind = _KIND_OF_STATUS.get(status, default)
    detail = problem.get("detail") or problem.get("title") or f"the service answered {status}"
    return kind(str(problem.get("code") or f"http_{status}"), str(detail), answered)


def error_in(response: "httpx.Response", n_attempts: int) -> LeafspaceError:
    """Return the error that an answer other than success describes."""
    problem = _problem(response)
    answered = Answered(
        status=response.status_code,
        request_id=problem.get("request_id") or response.headers.get("X-Request-Id"),
        errors=_field_errors(problem.get("errors")),
        n_attempts=n_attempts,
    )
    # A proxy may answer 429, 502 and 503 in words of its own; that is no sign of a wrong address.
    is_foreign = response.status_code in _REDIRECTS or response.status_code == 404  # not found
    if "code" not in problem and is_foreign:
        return UnexpectedAnswer("unexpected_answer", _foreign_detail(response), answered)
    return error_from_problem(problem, answered)


def unexpected(response: "httpx.Response", reason: object) -> UnexpectedAnswer:
    """Return the error for a successful answer that cannot be read."""
    detail = f"{_foreign_detail(response)} ({type(reason).__name__}: {reason})"
    return UnexpectedAnswer("unexpected_answer", detail, _answered(response))


def without_field(response: "httpx.Response", name: str, version: str | None) -> UnexpectedAnswer:
    """Return the error for an answer without a field: that of another release than this package, or of no Leafspace."""
    detail = (
        f"{_foreign_detail(response)} Its answer has no field {name!r}."
        if version is None
        else f"the answer of {response.request.url} has no field {name!r}: the service is of version {version}, this "
        f"package of version {__version__}; install leafspace-client of the service's version, or upgrade the service"
    )
    return UnexpectedAnswer("unexpected_answer", detail, _answered(response))


def _answered(response: "httpx.Response") -> Answered:
    return Answered(status=response.status_code, request_id=response.headers.get("X-Request-Id"))


def _problem(response: "httpx.Response") -> Mapping[str, Any]:
    try:
        value = response.json()
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _field_errors(value: object) -> Sequence[FieldError]:
    if not isinstance(value, list):
        return ()
    items = [item for item in value if isinstance(item, dict)]
    return tuple(
        FieldError(str(item.get("pointer", "")), str(item.get("detail", "")), item.get("code")) for item in items
    )


def _foreign_detail(response: "httpx.Response") -> str:
    kind = response.headers.get("Content-Type", "nothing that says what it is")
    return (
        f"{response.request.url} answered {response.status_code} with {kind}: is a Leafspace service of a matching "
        "version at this base_url?"
    )
