"""Register datasets by reference: a job looks at the files, which stay where they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.datasets import DATASETS, SourceDatasetRequest
from schemas.identifiers import content_identifier
from schemas.jobs import Job

from ..app_context import AppContext
from .artefacts import NewJob
from .job_estimates import JobEstimate, Need

_MANY_ROWS = 1 << 40  # how many is found by the job
_COUNTING_BYTES, _SECONDS = 512 << 20, 120.0


@dataclass(frozen=True, slots=True)
class MadeFromFiles:
    """Files that nobody has looked at yet."""

    n_rows: int = _MANY_ROWS

    @property
    def columns(self) -> dict[str, str]:
        """Nothing that is registered."""
        return {}

    def estimate(
        self,
        kind: str,  # as of all inputs
        request: Mapping[str, Any],
        *,
        on_cluster: bool = False,
    ) -> JobEstimate:
        """Return what a job would need: files are read by processes of their own, one after the other."""
        return JobEstimate((Need(_COUNTING_BYTES),), _SECONDS)


def register_source(context: AppContext, request: SourceDatasetRequest) -> Job:
    """Return the job that registers files; one that is under way for the same request is not added again.

    Its ``artefact`` is the dataset once it has succeeded; until then, an id that only names the request.

    Raises
    ------
    StorageError
        ``source_not_allowed`` where the address is not below a root that the operator allows.
    """
    context.objects.sources.roots.pattern(request.source.files)
    document = request.model_dump(mode="json")
    identifier = content_identifier(DATASETS.name, "source", document)
    job = NewJob.of(context, DATASETS.name, identifier, document, MadeFromFiles())
    with context.jobs.requested(identifier) as requested:
        if requested.is_new:
            requested.job = job.add(context, requested.connection)
    if requested.is_new:
        job.notify(context, requested.job)
    return context.jobs.get(requested.job)
