"""Problems: an answer that tells of a failure becomes the error that stands for it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import Answered, FieldError, LeafspaceError, UnexpectedAnswer, error_from_problem

if TYPE_CHECKING:
    import httpx

_REDIRECTS = range(300, 400)


def error_in(response: "httpx.Response", n_attempts: int) -> LeafspaceError:
    """Return the error that an answer other than success stands for; it need not come from a Leafspace service."""
    problem = _problem(response)
    answered = Answered(
        status=response.status_code,
        request_id=problem.get("request_id") or response.headers.get("X-Request-Id"),
        errors=_field_errors(problem.get("errors")),
        n_attempts=n_attempts,
    )
    if "code" not in problem and _is_foreign(response):
        return UnexpectedAnswer("unexpected_answer", _foreign_detail(response), answered)
    return error_from_problem(problem, answered)


def unexpected(response: "httpx.Response", reason: object) -> UnexpectedAnswer:
    """Return the error for a successful answer that cannot be read."""
    detail = f"{_foreign_detail(response)} ({type(reason).__name__}: {reason})"
    request_id = response.headers.get("X-Request-Id")
    return UnexpectedAnswer("unexpected_answer", detail, Answered(status=response.status_code, request_id=request_id))


def _problem(response: "httpx.Response") -> Mapping[str, Any]:
    try:
        value = response.json()
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _field_errors(value: object) -> Sequence[FieldError]:
    if not isinstance(value, list):
        return ()
    found = [item for item in value if isinstance(item, dict)]
    return tuple(FieldError(str(item.get("pointer", "")), str(item.get("detail", ""))) for item in found)


def _is_foreign(response: "httpx.Response") -> bool:
    # A proxy may answer 429, 502 and 503 in words of its own; that is no sign of a wrong address.
    return response.status_code in _REDIRECTS or response.status_code == 404  # noqa: PLR2004  # not found


def _foreign_detail(response: "httpx.Response") -> str:
    kind = response.headers.get("Content-Type", "nothing that says what it is")
    return (
        f"{response.request.url} answered {response.status_code} with {kind}: is a Leafspace service of a matching "
        "version at this base_url?"
    )
