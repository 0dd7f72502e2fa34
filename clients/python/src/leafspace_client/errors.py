"""Errors: why a call failed, one class for each kind of reaction that a caller may want.

Every error carries ``code`` (stable, machine-readable), ``detail`` (what to do), and where a service answered
``status``, ``request_id`` and ``errors`` (field by field).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class FieldError(NamedTuple):
    """What is wrong with one field of a request; ``pointer`` is a JSON pointer such as ``/n_prototypes``."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What an error knows of the answer it comes from; ``None`` where there was none."""

    status: int | None = None
    request_id: str | None = None
    errors: Sequence[FieldError] = ()
    n_attempts: int = 1


_NO_ANSWER = Answered()


class LeafspaceError(Exception):
    """Any failure of a call."""

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
        return f"{self.detail} [{self.code}{request}]"


class Invalid(LeafspaceError, ValueError):
    """The request, or what it carries, is not valid: mend it."""


class NotFound(LeafspaceError, LookupError):
    """There is no such thing."""


class Conflict(LeafspaceError):
    """The request contradicts what is kept: something is in use, or not ready."""


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

    def __init__(self, code: str, detail: str, job: Any = None) -> None:  # noqa: ANN401  # a generated Job
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
    413: TooLarge,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_FIRST_SERVER_ERROR = 500


def missing_extra(library: str, extra: str, purpose: str) -> MissingExtra:
    """Return the error that names the command which installs what is missing."""
    detail = f'{purpose} needs {library}, which is not installed: pip install "leafspace-client[{extra}]"'
    return MissingExtra("missing_extra", detail)


def error_from_problem(problem: Mapping[str, Any], answered: Answered) -> LeafspaceError:
    """Return the error that a problem document stands for; unknown codes and fields are fine."""
    status = answered.status or 0
    default = ServerError if status >= _FIRST_SERVER_ERROR else Invalid
    kind = _KIND_OF_STATUS.get(status, default)
    detail = problem.get("detail") or problem.get("title") or f"the service answered {status}"
    return kind(str(problem.get("code") or f"http_{status}"), str(detail), answered)
