"""The API: the one place where its parts are put together."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.routing import APIRoute

from . import docs_page, problems
from .edge.asgi import Application
from .edge.stack import behind_edge
from .hot_path import HotPath
from .parts import build_parts
from .routes import (
    datasets,
    explainers,
    explanation_sets,
    health,
    jobs,
    label_audits,
    models,
    prototype_sets,
    proximities,
    rule_sets,
)
from .settings import ServiceSettings

_DESCRIPTION = "Tree ensembles that explain themselves: prototypes, nearest prototypes of single predictions, and why."


def create_server_app(settings: ServiceSettings) -> Application:
    """Return the API behind its edge: what a server is given."""
    return behind_edge(HotPath(create_app(settings)), settings.body_limits)


def create_app(settings: ServiceSettings) -> FastAPI:
    """Return the API; what the settings name is opened when it starts, and closed when it stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        parts = build_parts(settings)
        app.state.parts = parts
        _rarely_collect_garbage()
        yield
        parts.close()

    return build_app(lifespan)


def build_app(lifespan: object = None) -> FastAPI:
    """Return the API's routes without parts behind them: enough to write down its contract."""
    app = FastAPI(
        title="Leafspace",
        version=version("leafspace"),
        description=_DESCRIPTION,
        lifespan=lifespan,  # type: ignore[arg-type]  # an async context manager of the app, or none
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would lead wherever the caller's Host header says
        form_limits={"max_files": 1, "max_fields": 20},
        generate_unique_id_function=_operation_id,
    )
    for module in (
        models,
        datasets,
        proximities,
        prototype_sets,
        label_audits,
        rule_sets,
        explainers,
        explanation_sets,
        jobs,
        health,
    ):
        app.include_router(module.router)
    docs_page.install(app)
    problems.install(app)
    return app


def _rarely_collect_garbage() -> None:
    # Cycles are rare here, and looking for them stops the hot path: what lives as long as the process is not looked at
    # again, and the rest less often.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _operation_id(route: APIRoute) -> str:
    return route.name
