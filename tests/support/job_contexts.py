"""What a job is given, for tests that call parts of jobs without running one."""

from pathlib import Path

import numpy as np
from sqlalchemy import true

from storage.leaf_tables import forget_leaf_tables as forget_kept
from storage.records import unreferenced
from tree_explainers.compute.progress import ReportProgress, ignore_progress
from workers.runtime.context import JobContext

from .workshop import Workshop


def job_context(workshop: Workshop, workspace: Path, report: ReportProgress = ignore_progress) -> JobContext:
    """Return the context of a job that asks for nothing, in a workshop."""
    return JobContext(
        job="job_1",
        artefact="prs_1",
        request={},
        database=workshop.context.database,
        objects=workshop.context.objects,
        report=report,
        rng=np.random.default_rng(0),
        workspace=workspace,
    )


def forget_leaf_tables(workshop: Workshop) -> None:
    """Have the next job ask the model again."""
    with workshop.context.database.transaction() as connection:
        gone = unreferenced(connection, forget_kept(connection, true()))
    for sha256 in gone:
        workshop.context.objects.delete(sha256)
