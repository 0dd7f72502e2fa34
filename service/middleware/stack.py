"""behind_middleware: the application behind all its middleware."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import cast

from starlette.middleware.cors import CORSMiddleware

from ..admission.shared_memory import SharedMemory
from ..draining import Draining
from .admission.bodies import AnswerGuard, BodyGuard, BodyLimits
from .admission.limits import RequestLimits, RequestRates, Surplus, buckets_of
from .asgi import Application
from .identity.access import AccessPolicy, Authorization
from .protocol.compression import Compression
from .protocol.inference_errors import InferenceErrors
from .protocol.plain_paths import HeadAsGet, NamedHosts, PlainPaths
from .protocol.response_head import ResponseHead
from .telemetry.metering import Metering, NoteRequest, RequestRecords

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_ALLOWED_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID"),
    *("Prefer", "X-Request-Id"),
)
_EXPOSED_HEADERS = (
    *("Content-Location", "ETag", "Location", "Retry-After", "Server-Timing", "WWW-Authenticate"),
    "X-Request-Id",
)
_SECONDS_REMEMBERED = 600


@dataclass(frozen=True, slots=True)
class Monitoring:
    """What observes the requests of a process, and whether it is about to stop; what it shares with others."""

    records: RequestRecords = field(default_factory=RequestRecords)
    draining: Draining = field(default_factory=Draining)
    note: NoteRequest | None = None  # of the access log
    shared: SharedMemory | None = None  # with other processes of the host


def behind_middleware(
    app: Application,
    limits: BodyLimits,
    rates: RequestRates,
    monitoring: Monitoring | None = None,
    policy: AccessPolicy | None = None,
    origins: Collection[str] = (),
) -> Application:
    """Return the application behind headers, meters, origins, keys, limits and the body guard.

    Without a ``policy`` no key is needed; pages of ``origins`` may call from a browser.
    """
    monitoring = monitoring or Monitoring()
    refused = buckets_of("refused", rates.refused_per_second, rates.refused_burst, monitoring.shared)
    both_ways = AnswerGuard(BodyGuard(HeadAsGet(Compression(app)), limits), limits)
    guarded = Authorization(PlainPaths(RequestLimits(both_ways, rates, monitoring.shared)), policy, refused, origins)
    checked = _allow_origins(Surplus(NamedHosts(guarded)), origins)
    metered = Metering(InferenceErrors(checked), monitoring.records, monitoring.note)
    return ResponseHead(metered, monitoring.draining)


def _allow_origins(app: Application, origins: Collection[str]) -> Application:
    """Return the application with answers to pages of other sites (CORS), those of ``origins``; unchanged without any.

    Keys travel in headers that a page must set itself, so the browser's credentials mode is never allowed.
    """
    if not origins:
        return app
    allowing = CORSMiddleware(
        app,  # type: ignore[arg-type]  # less strictly typed
        allow_origins=list(origins),
        allow_methods=_METHODS,
        allow_headers=_ALLOWED_HEADERS,
        expose_headers=_EXPOSED_HEADERS,
        max_age=_SECONDS_REMEMBERED,
    )
    return cast("Application", allowing)
