"""/metrics: what Prometheus scrapes."""

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from ..metrics import Metrics

# Not part of the contract: names may be added, and clients have no use for them.
router = APIRouter(include_in_schema=False)


@router.get("/metrics")
def scrape(request: Request) -> Response:
    """Return all metrics; in a thread, as rows and Redis may be read."""
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
