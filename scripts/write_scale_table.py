"""Write the table of what jobs need at ten times the usual size into docs/operations.md, or check it.

Memory and time are the estimates by which jobs are refused and put into lanes, for requests with their defaults
(``service/operations/job_estimates.py``).
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from schemas.nouns import NOUNS
from scripts.generated_parts import write_part
from service.operations.job_estimates import JobEstimate, estimate_job, estimated_kinds
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.compute.threads import limit_cores

_GIB, _LIMIT_GIB = 1 << 30, 16
_LEAVES_OF_TREE, _N_CORES = 31, 2
_REQUESTS: dict[str, dict[str, Any]] = {
    "approximation_trees": {"fitted_on": "generator", "method": "sta"},
    "reports": {"title": "Report"},
    "prototype_sets": {"n_prototypes": 50},
}


@dataclass(frozen=True)
class Scale:
    """A model and its rows."""

    title: str
    n_rows: int
    n_trees: int = 200
    n_features: int = 30
    n_classes: int = 2

    def sizes(self) -> JobSizes:
        """Return the sizes; a leaf of a graph takes some 12 bytes for each class, a node some 60."""
        n_leaves = self.n_trees * _LEAVES_OF_TREE
        n_nodes = 2 * n_leaves - self.n_trees
        return JobSizes(
            n_rows=self.n_rows,
            n_trees=self.n_trees,
            n_features=self.n_features,
            n_outputs=self.n_classes,
            n_nodes=n_nodes,
            model_bytes=60 * n_nodes + 12 * n_leaves * self.n_classes,
            n_leaves=n_leaves,
            code_bytes=1,
            row_text_bytes=110,
            n_prototypes=50,
            n_sampled_rows=min(self.n_rows, 100_000),
        )


SCALES = (
    Scale("1 M rows, 200 trees", 1_000_000),
    Scale("10 M rows, 200 trees", 10_000_000),
    Scale("100,000 rows, 5,000 trees", 100_000, n_trees=5_000),
    Scale("100,000 rows, 10,000 features", 100_000, n_features=10_000),
    Scale("100,000 rows, 1,000 classes", 100_000, n_classes=1_000),
)


def main() -> int:
    """Write the table, or with ``--check`` compare it; return the exit status."""
    return write_part("operations.md", "scale", _table())


def _table() -> str:
    """Return the table, a line for each kind of job that is about a model."""
    limit_cores(_N_CORES)  # whatever the machine that writes it has
    lines = [" | ".join(["| job", *(scale.title for scale in SCALES)]) + " |", "|---" * (len(SCALES) + 1) + "|"]
    lines += [f"| {kind.replace('_', ' ')} | {' | '.join(_cells(kind))} |" for kind in sorted(estimated_kinds())]
    return "\n".join(lines)


def _cells(kind: str) -> Iterator[str]:
    request = _default_request(kind)
    return (_cell(estimate_job(kind, scale.sizes(), request)) for scale in SCALES)


def _cell(estimate: JobEstimate) -> str:
    n_gib = estimate.n_bytes / _GIB
    return f"**refused: {n_gib:.1f} GiB**" if n_gib > _LIMIT_GIB else f"{n_gib:.1f} GiB, {_time(estimate.seconds)}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.0f} h"


def _default_request(kind: str) -> dict[str, Any]:
    """Return a request with nothing but what it must have, its defaults spelled out as operations do."""
    noun = NOUNS[kind]
    assert noun.request is not None  # for the type checker
    chosen = dict.fromkeys(noun.made_from, "id") | _REQUESTS.get(kind, {})
    decided = {name: chosen.pop(name) for name in ("fitted_on",) if name in chosen}  # by operations, not by callers
    return noun.request.model_validate(chosen).model_dump(mode="json") | decided


if __name__ == "__main__":
    sys.exit(main())
