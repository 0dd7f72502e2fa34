"""behind_edge: the application with everything that stands before it."""

from collections.abc import Collection
from dataclasses import dataclass, field

from ..request_records import RequestRecords
from .allowances import limited_to
from .answer_guard import AnswerGuard
from .asgi import Application
from .authorization import Authorization, Door
from .body_guard import BodyGuard, BodyLimits
from .compression import Compression
from .cross_origin import allow_origins
from .metering import Metering, NoteRequest
from .plain_paths import HeadAsGet, NamedHosts, PlainPaths
from .request_limits import RequestLimits, RequestRates
from .response_head import Draining, ResponseHead
from .surplus import Surplus


@dataclass(frozen=True, slots=True)
class Watching:
    """Who watches the requests of a process, and how it tells that it stops."""

    records: RequestRecords = field(default_factory=RequestRecords)
    draining: Draining = field(default_factory=Draining)
    note: NoteRequest | None = None  # of the access log


def behind_edge(
    app: Application,
    limits: BodyLimits,
    rates: RequestRates,
    watching: Watching | None = None,
    door: Door | None = None,
    origins: Collection[str] = (),
) -> Application:
    """Return the application behind headers, meters, origins, keys, limits and the body guard.

    Without a ``door`` no key is needed; pages of ``origins`` may call from a browser.
    """
    watching = watching or Watching()
    refused = limited_to(rates.refused_per_second, rates.refused_burst)
    both_ways = AnswerGuard(BodyGuard(HeadAsGet(Compression(app)), limits), limits)
    guarded = Authorization(PlainPaths(RequestLimits(both_ways, rates)), door, refused, origins)
    checked = allow_origins(Surplus(NamedHosts(guarded)), origins)
    return ResponseHead(Metering(checked, watching.records, watching.note), watching.draining)
