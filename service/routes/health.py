"""/livez, /readyz, /metrics and /v1/version: whether this process can do its work, and what it is."""

from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from schemas.health import Liveness, Readiness, ServiceVersion

from ..background.health_watch import Health
from ..web.request_class import StrictRoute
from .answers import problems
from .dependencies import check_ready

router = APIRouter(tags=["health"])
version_router = APIRouter(prefix="/v1/version", tags=["health"], route_class=StrictRoute)


@router.get("/livez")
async def live() -> Liveness:
    """Say that the process answers."""
    return Liveness()


@router.get("/readyz", responses=problems(503))
async def ready(health: Annotated[Health, Depends(check_ready)]) -> Readiness:
    """Say whether the process can do its work; without its queue it still explains and reads."""
    return Readiness(degraded=list(health.degraded))


# Not part of the contract: names may be added, and clients have no use for them.
@router.get("/metrics", include_in_schema=False)
def scrape(request: Request) -> Response:
    """Return all metrics; in a thread, as rows and Redis may be read."""
    metrics = request.app.state.metrics()
    return Response(metrics.text(), media_type=metrics.media_type)


@version_router.get("", responses=problems())
async def get_version() -> ServiceVersion:
    """Read the version of the service and the oldest SDK that works with it."""
    return ServiceVersion(version=version("leafspace"))
