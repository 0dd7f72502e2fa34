"""/v1/version: which service answers, and which SDKs work with it."""

from importlib.metadata import version

from fastapi import APIRouter

from schemas.service_version import ServiceVersion

from ..request_class import StrictRoute
from .answers import problems

router = APIRouter(prefix="/v1/version", tags=["health"], route_class=StrictRoute)


@router.get("", responses=problems())
async def get_version() -> ServiceVersion:
    """Read the version of the service and the oldest SDK that works with it."""
    return ServiceVersion(version=version("leafspace"))
