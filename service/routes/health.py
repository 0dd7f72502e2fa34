"""/livez and /readyz: is the process alive, can it do its work."""

from fastapi import APIRouter

from schemas.health import Liveness, Readiness

from ..dependencies import ContextDep
from ..operations import health
from .answers import problems

router = APIRouter(tags=["health"])


@router.get("/livez")
async def live() -> Liveness:
    """Say that the process answers."""
    return Liveness()


@router.get("/readyz", responses=problems(503))
async def ready(context: ContextDep) -> Readiness:
    """Say whether the process can do its work; without its queue it still explains and reads."""
    return await health.readiness(context)
