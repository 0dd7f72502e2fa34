"""The API: the one place where its parts are put together."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from importlib import import_module
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from schemas.nouns import NOUNS, Noun

from . import contract_document, docs_page, problems, route_scopes
from .app_context import build_parts
from .hot_path import HotPath
from .logs import AccessLog
from .metrics import Metrics
from .middleware.asgi import Application
from .middleware.authorization import Door
from .middleware.draining import Draining
from .middleware.stack import Watching, behind_edge
from .request_class import FORM_LIMITS
from .request_records import RequestRecords
from .routes import health, metrics
from .settings import ServiceSettings


def _router_of(noun: Noun[Any]) -> APIRouter:
    name = f"service.routes.{noun.name}"
    try:
        router: APIRouter = import_module(name).router
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        detail = f"{noun.name} have no routes: write a router in {name.replace('.', '/')}.py"
        raise LookupError(detail) from error
    return router


_ROUTERS = (*map(_router_of, NOUNS.kept), health.router, metrics.router)
_OWN_PATHS = ("/openapi.json", "/docs", "/docs/assets/{file}")
_ROUTES = tuple(route for router in _ROUTERS for route in router.routes if isinstance(route, APIRoute))
_PATHS = (*_OWN_PATHS, *(route.path for route in _ROUTES))


def create_server_app(settings: ServiceSettings, draining: Draining | None = None) -> Application:
    """Return the API behind its edge: what a server is given."""
    access_log = AccessLog(settings.log_level)
    watching = Watching(RequestRecords(_PATHS), draining or Draining(), access_log.note)
    app = create_app(settings, watching, access_log)
    door = _door(app) if settings.keys_required else None
    return behind_edge(HotPath(app), settings.body_limits, settings.request_rates, watching, door)


def _door(app: FastAPI) -> Door:
    scopes = route_scopes.RouteScopes((method, route.path) for route in _ROUTES for method in route.methods or ())
    return Door(lambda: app.state.parts.keys, scopes.required)


def create_app(
    settings: ServiceSettings, watching: Watching | None = None, access_log: AccessLog | None = None
) -> FastAPI:
    """Return the API; what the settings name is opened when it starts, and closed when it stops."""
    watching = watching or Watching()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        parts = build_parts(settings, watching.draining)
        app.state.parts = parts
        app.state.metrics = Metrics(parts, watching.records)
        _rarely_collect_garbage()
        with nullcontext() if access_log is None else access_log.writing():
            yield
        parts.close()

    return build_app(lifespan)


def build_app(lifespan: object = None) -> FastAPI:
    """Return the API's routes without parts behind them: enough to write down its contract."""
    app = FastAPI(
        version=version("leafspace"),
        **contract_document.DESCRIBED,
        lifespan=lifespan,  # type: ignore[arg-type]  # an async context manager of the app, or none
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would lead wherever the caller's Host header says
        form_limits={"max_files": FORM_LIMITS["max_files"], "max_fields": FORM_LIMITS["max_fields"]},
        generate_unique_id_function=_operation_id,
    )
    for router in _ROUTERS:
        app.include_router(router)
    docs_page.install(app)
    problems.install(app)
    route_scopes.install(app)
    contract_document.install(app)
    return app


def _rarely_collect_garbage() -> None:
    # Cycles are rare here, and looking for them stops the hot path: what lives as long as the process is not looked at
    # again, and the rest less often.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _operation_id(route: APIRoute) -> str:
    return route.name
