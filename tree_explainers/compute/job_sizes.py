"""Sizes of what a job works on, from which each family of methods says in its ``cost.py`` what its jobs need.

Costs are sums over the arrays that a method holds at the same time, in bytes, and seconds on a slow core.
"""

from dataclasses import dataclass, replace

from .threads import n_cores

MIB = 1 << 20
_MOST_PROCESSES = 16  # of a job, whatever the machine


@dataclass(frozen=True, slots=True)
class JobSizes:
    """Sizes of a model and of the rows that it is applied to."""

    n_rows: int
    n_trees: int
    n_features: int
    n_outputs: int
    """Classes, or 1 for regression."""
    n_nodes: int
    model_bytes: int
    n_leaves: int
    """Leaves of all trees together."""
    code_bytes: int
    """Bytes that name a row's leaf in a tree: 1, 2 or 4."""
    row_text_bytes: int
    """Bytes of a row's name and target."""
    n_prototypes: int = 0
    """Prototypes of an explainer."""
    oracle_seconds: float = 0.0
    """Seconds in which an oracle predicts 1,000 rows; 0 for models with trees."""
    is_local: bool = True
    """Whether rows, their leaves and lists of these are in the job's process rather than on a cluster."""
    n_sampled_rows: int | None = None
    """Rows that a job holds whose other rows stay in partitions; ``None``: all."""

    def on_cluster(self) -> "JobSizes":
        """Return the sizes of what the job's own process holds where leaves are on a cluster."""
        return replace(self, code_bytes=0, is_local=False)

    def sampled(self) -> "JobSizes":
        """Return the sizes of what a job holds whose other rows stay in partitions."""
        return self if self.n_sampled_rows is None else replace(self, n_rows=self.n_sampled_rows)

    @property
    def n_cells(self) -> int:
        """Rows times features."""
        return self.n_rows * self.n_features

    @property
    def n_paths(self) -> int:
        """Rows times trees."""
        return self.n_rows * self.n_trees


def n_processes() -> int:
    """Return how many processes or fits of one job run at once."""
    return min(n_cores(), _MOST_PROCESSES)
