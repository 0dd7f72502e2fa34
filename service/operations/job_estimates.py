"""Job estimates: what a job would need, estimated before it runs, so that a job that would fail is not begun.

Memory is estimated as the most that the job's process would hold. What grows with rows, trees and features is
counted from the sizes of the arrays that methods hold at the same time, beside the mathematics
(``tree_explainers/<family>/cost.py``); what does not was measured (``python -m benchmarks.job_estimates`` holds both
against jobs of all kinds). Estimates are meant to be above what jobs need, and less than four times as much.

Time is estimated roughly, for a slow core: enough to separate jobs of seconds, which have a lane of their own,
from jobs of minutes. A wrong estimate delays a job, and fails none.

Each noun that jobs make from a model declares its ``ESTIMATE`` in the module of its operations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from schemas.approximation_trees import MAX_ROWS_HELD
from schemas.datasets import Dataset
from schemas.models import Model
from schemas.nouns import NOUNS, Nouns
from storage.errors import StorageError
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.compute.partitions import BLOCK_ROWS
from tree_explainers.leaf_space.cost import coarser_leaf_bytes

_MIB, _GIB = 1 << 20, 1 << 30
_WORKER_BYTES = 256 * _MIB  # of libraries, in any job's process
_SAFETY = 1.2  # allocators hold more than is requested
_SECONDS_TO_BEGIN = 0.5

Request = Mapping[str, Any]
"""A request whose defaults are spelled out."""


@dataclass(frozen=True, slots=True)
class Need:
    """A part of what a job needs, with what the caller may change to need less."""

    n_bytes: float
    advice: str = "send fewer rows, or take a model of fewer trees"
    pointer: str = "/dataset"


@dataclass(frozen=True, slots=True)
class JobEstimate:
    """What a job would need, part by part."""

    needs: tuple[Need, ...]
    seconds: float = 0.0

    @property
    def n_bytes(self) -> int:
        """The most that the job's process would hold."""
        return int(_WORKER_BYTES + _SAFETY * sum(need.n_bytes for need in self.needs))


@dataclass(frozen=True, slots=True)
class KindEstimate:
    """How jobs of one kind are estimated, beside applying the model to the rows as every job does."""

    needs: Callable[[JobSizes, Request], tuple[Need, ...]]
    seconds: Callable[[JobSizes, Request], float]
    held: Callable[[JobSizes, Request], JobSizes] = lambda sizes, _: sizes
    """Returns the sizes of the rows that the job's process holds."""


def sizes_of(model: Model, dataset: Dataset, n_other_rows: Sequence[int] = (), n_prototypes: int = 0) -> JobSizes:
    """Return the sizes of a model and its rows, including those of other datasets, such as one to evaluate on."""
    most_leaves = min(model.n_leaves, 2 ** min(model.max_depth, 32))
    n_texts = sum(column.role in {"target", "row_id"} for column in dataset.columns)
    return JobSizes(
        n_rows=dataset.n_rows + sum(n_other_rows),
        n_trees=model.n_trees,
        n_features=model.n_features,
        n_outputs=max(1, len(model.classes)),
        n_nodes=model.n_nodes,
        model_bytes=model.size_bytes,
        n_leaves=model.n_leaves,
        code_bytes=1 if most_leaves <= 1 << 8 else 2 if most_leaves <= 1 << 16 else 4,
        row_text_bytes=40 + 70 * n_texts,
        n_prototypes=n_prototypes,
        oracle_seconds=model.seconds_per_1000_rows or 0.0,
        n_sampled_rows=sum(min(n_rows, MAX_ROWS_HELD) for n_rows in (dataset.n_rows, *n_other_rows)),
    )


def estimate_job(kind: str, sizes: JobSizes, request: Request) -> JobEstimate:
    """Return what a job of this kind would need for a request whose defaults are spelled out."""
    estimate = kind_estimate(kind)
    seconds = _SECONDS_TO_BEGIN + 5e-7 * sizes.n_paths + estimate.seconds(sizes, request)
    return JobEstimate((*_reading(estimate.held(sizes, request)), *estimate.needs(sizes, request)), seconds)


def kind_estimate(kind: str) -> KindEstimate:
    """Return the ``ESTIMATE`` of a noun that jobs make from a model.

    Raises
    ------
    LookupError
        If the noun's operations declare none.
    """
    name = f"{__package__}.{kind}"
    try:
        estimate: KindEstimate = import_module(name).ESTIMATE
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name != name:
            raise
        detail = f"jobs of {kind} have no estimate: declare ESTIMATE in service/operations/{kind}.py"
        raise LookupError(detail) from error
    return estimate


def estimated_kinds(nouns: Nouns = NOUNS) -> dict[str, KindEstimate]:
    """Return the estimate of each kind of job that is about a model; refuse to start without one of them."""
    kinds = (noun.name for noun in nouns.made_by_jobs if "relational_dataset" not in noun.made_from)
    return {kind: kind_estimate(kind) for kind in kinds}


def refuse_beyond(limit_bytes: int, estimate: JobEstimate) -> None:
    """Refuse a job that would need more than a job may.

    Raises
    ------
    StorageError
        ``resource_estimate_exceeds_limit``, saying how much, and what to change.
    """
    if estimate.n_bytes <= limit_bytes:
        return
    largest = max(estimate.needs, key=lambda need: need.n_bytes)
    detail = (
        f"the job would need about {_size(estimate.n_bytes)} of memory, {_size(estimate.n_bytes - limit_bytes)} more "
        f"than the {_size(limit_bytes)} that a job may use; {largest.advice}, or raise LEAFSPACE_JOB_MEMORY_BYTES"
    )
    raise StorageError(code="resource_estimate_exceeds_limit", detail=detail, pointer=largest.pointer)


def _size(n_bytes: float) -> str:
    return f"{n_bytes / _GIB:,.3g} GiB" if n_bytes >= _GIB else f"{n_bytes / _MIB:,.3g} MiB"


def _reading(sizes: JobSizes) -> tuple[Need, ...]:
    """Return what it takes to apply a model to rows."""
    block_rows = min(sizes.n_rows, BLOCK_ROWS)
    block = block_rows * (20 * sizes.n_features + 8 * sizes.n_trees + 8 * sizes.n_outputs)
    model = 6 * sizes.model_bytes + sizes.n_nodes * (400 + 16 * sizes.n_outputs)
    outcomes = sizes.n_rows * (8 * sizes.n_outputs + 8 + sizes.row_text_bytes)
    return (
        Need(20 * _MIB + block + outcomes, "send fewer rows", "/dataset"),
        Need(model, "take a model of fewer trees", "/model"),
    )


def leaf_need(sizes: JobSizes, request: Request, leaf_bytes: float) -> Need:
    """Return what it takes to hold leaves, and coarser ones where the request may cut trees back."""
    return Need(leaf_bytes + (0 if request["min_leaf_rows"] == 1 else coarser_leaf_bytes(sizes)))
