"""The API application: routes, middleware and the context of operations, put together here alone."""

import gc
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from importlib.metadata import version
from threading import Lock
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning

from schemas.noun import Noun
from schemas.nouns import NOUNS
from storage.job_counts import EndedJobs

from .admission.shared_memory import SharedMemory
from .app_context import AppContext, build_context
from .background.access_log import AccessLog
from .background.recurring import Recurring
from .draining import Draining
from .host_counts import HostCounts
from .hot_path import HotPath
from .middleware.admission.current_calls import Calls
from .middleware.asgi import Application
from .middleware.identity.access import AccessPolicy
from .middleware.stack import Monitoring, behind_middleware
from .middleware.telemetry.metering import RequestRecords
from .operations.job_estimates import estimated_kinds
from .routes import api_keys, dictionaries, health, kserve, page
from .routes.artefact_routes import plain_router
from .settings import ServiceSettings
from .web import conditional_requests, contract_document, documentation_pages, problems, route_scopes
from .web.request_class import FORM_LIMITS


def _router_of(noun: Noun[Any]) -> APIRouter:
    name = f"service.routes.{noun.name}"
    try:
        router: APIRouter = import_module(name).router
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return plain_router(noun, _request_of(noun))
    return router


def _request_of(noun: Noun[Any]) -> Callable[[AppContext, Any], Any]:
    """Return the operation that requests an artefact, for the routes of a noun that has none of its own."""
    name, function = f"service.operations.{noun.name}", f"request_{noun.singular}"
    try:
        request: Callable[[AppContext, Any], Any] = getattr(import_module(name), function)
    except (ModuleNotFoundError, AttributeError) as error:
        detail = f"{noun.name} have no routes: write {function} in {name.replace('.', '/')}.py"
        raise LookupError(detail) from error
    return request


# KServe's routes come before those of our own models, which have the same beginning.
_ROUTERS = (
    kserve.router,
    *map(_router_of, NOUNS.stored),
    dictionaries.router,
    api_keys.me_router,
    health.router,
    health.version_router,
    page.router,
)


def _template_of(route: APIRoute) -> str:
    """Return a route's path as the contract has it."""
    return route.path.replace(":int}", "}")


_SECONDS_BETWEEN_COUNTS = 0.1

estimated_kinds()  # a kind of job without an estimate stops the start
_OWN_PATHS = ("/openapi.json", *documentation_pages.PATHS)
_ROUTES = tuple(route for router in _ROUTERS for route in router.routes if isinstance(route, APIRoute))
_PATHS = (*_OWN_PATHS, *(_template_of(route) for route in _ROUTES))


def create_server_app(
    settings: ServiceSettings, draining: Draining | None = None, shared: SharedMemory | None = None
) -> Application:
    """Return the API behind its middleware, for a server to run; processes of one host share the memory."""
    access_log = AccessLog(settings.log_level)
    monitoring = Monitoring(RequestRecords(_PATHS), draining or Draining(), access_log.note, shared)
    app = create_app(settings, monitoring, access_log)
    policy = _policy(app) if settings.keys_required else None
    limits, rates = settings.body_limits, settings.request_rates
    return behind_middleware(Calls(HotPath(app)), limits, rates, monitoring, policy, settings.cors_origins)


def _policy(app: FastAPI) -> AccessPolicy:
    scopes = route_scopes.RouteScopes(
        (method, _template_of(route)) for route in _ROUTES for method in route.methods or ()
    )
    return AccessPolicy(lambda: app.state.context.keys, scopes.required)


def create_app(
    settings: ServiceSettings, monitoring: Monitoring | None = None, access_log: AccessLog | None = None
) -> FastAPI:
    """Return the API; what the settings name is opened when it starts, and closed when it stops."""
    monitoring = monitoring or Monitoring()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        context = build_context(settings, monitoring.draining, monitoring.shared)
        app.state.context = context
        counts = None if monitoring.shared is None else HostCounts(monitoring.records, monitoring.shared)
        app.state.metrics = _metrics_of(context, counts or monitoring.records)
        # Cycles are rare here, and collecting them stops the hot path: objects that live as long as the process are not
        # scanned again, and the others less often.
        gc.freeze()
        gc.enable()
        gc.set_threshold(50_000, 20, 20)
        with nullcontext() if access_log is None else access_log.writing(), _publishing(counts, context):
            yield
        context.close()

    return build_app(lifespan)


def build_app(lifespan: object = None) -> FastAPI:
    """Return the API's routes without a context: enough to write down its contract."""
    # FastAPI says nothing of it where it builds its fields; as ours are built when they are first used, it cannot.
    warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
    app = FastAPI(
        version=version("leafspace"),
        **contract_document.DESCRIBED,
        lifespan=lifespan,  # type: ignore[arg-type]  # an async context manager of the app, or none
        openapi_url=None,  # it is packed, as generating it takes seconds
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would redirect to the host that the caller's Host header names
        form_limits={**FORM_LIMITS},
        generate_unique_id_function=_operation_id,
    )
    app.state.routes = _ROUTES
    for router in _ROUTERS:
        app.include_router(router)
    documentation_pages.install(app)
    problems.install(app)
    route_scopes.install(app)
    contract_document.install(app)
    conditional_requests.install(app)
    contract_document.install_shared_problems(app)
    return app


@contextmanager
def _publishing(counts: HostCounts | None, context: AppContext) -> Iterator[None]:
    """Let the other processes of the host know what this one counts."""
    if counts is None:
        yield
        return
    counts.caches = context.cache_counts
    publishing = Recurring("counts", _SECONDS_BETWEEN_COUNTS, counts.publish)
    publishing.start()
    try:
        yield
    finally:
        publishing.stop()
        counts.publish()


def _metrics_of(context: AppContext, records: RequestRecords | HostCounts) -> Callable[[], Any]:
    """Return a function that returns the metrics: most services are never asked, and do without Prometheus' library."""
    ended, making = EndedJobs(context.background_database), Lock()  # ended from now on

    @cache
    def loaded() -> Any:  # of a module that is not loaded yet
        return import_module("service.metrics").Metrics(context, records, ended)

    def metrics() -> Any:
        with making:  # by one of the requests that ask first
            return loaded()

    return metrics


def _operation_id(route: APIRoute) -> str:
    return route.name
