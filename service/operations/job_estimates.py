"""Job estimates: what a job would need, estimated before it runs, so that a job that would fail is not begun.

Memory is estimated as the most that the job's process would hold. What grows with rows, trees and features is
counted from the sizes of the arrays that methods hold at the same time; what does not was measured
(``python -m benchmarks.job_estimates`` holds both against jobs of all kinds). Estimates are meant to be above what jobs
need, and less than four times as much.

Time is estimated roughly, for a slow core: enough to separate jobs of seconds, which have a lane of their own,
from jobs of minutes. A wrong estimate delays a job, and fails none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explanations.reference_file import MAX_CELLS
from schemas.approximation_trees import MAX_ROWS_HELD
from schemas.datasets import Dataset
from schemas.models import Model
from schemas.nouns import NOUNS
from storage.errors import StorageError
from tree_explainers.compute.threads import n_cores
from tree_explainers.prototype_sets.euclidean_sweep import default_candidates, n_steps

_MIB, _GIB = 1 << 20, 1 << 30
_WORKER_BYTES = 256 * _MIB  # of libraries, in any job's process
_SAFETY = 1.2  # allocators hold more than is requested
_PSEUDO_CELLS = 3_000_000  # values of the pseudo rows of rule lists, at most
_COMPILING_BYTES = 64 * _MIB  # what a machine's first job of rules takes to compile its loops
_BLOCK_ROWS = 65_536  # that models are applied to together, and that methods sample where they need rows in one piece
_LIST_BYTES = 4  # of a row in the list of a leaf
_FEW_LEAVES = 40  # of a tree: rows are compared by their leaves rather than listed
_CELLS = 2_000_000  # of neighbours in a block
_COUNTED_CELLS, _SUMMED_CELLS = 1 << 21, 1 << 24  # of counts and sums of votes
_FEWEST_PAIRS, _PAIRS_PER_ROW, _MOST_PAIRS = 1 << 24, 64, 1 << 26  # kept for certificates
_COMPARISONS, _SAMPLED = 5e12, 10_000  # beyond the first number, the second number of candidates is drawn
_SECONDS_TO_BEGIN = 0.5
_SECONDS_OF_PROTOTYPES = {"none": 5e-10, "swap": 4e-9}  # for each comparison of a row with a candidate in a tree
_COMPARED_BYTES = 128 * _MIB  # of some rows' proximities to all, and of sorting them
_SECONDS_BY_DISTANCE = 4e-10  # for each step of comparing rows by plain distance
_SELECTIONS_TO_FIND_LEAVES = 2  # as a rule
_SECONDS_A_PSEUDO_ROW = {"sta": 1e-5, "cart": 5e-7, "born_again": 1e-6, "ism": 5e-7}  # and tree
_NODES_LABELLED = {"sta": 20, "cart": 1, "born_again": 1, "ism": 0}  # with pseudo rows of their own
_BLOCK_BYTES, _MOST_PROCESSES = 80 * _MIB, 16  # of a process that explains blocks of rows; how many there are
_LANDMARKS, _MAP_BYTES = 200, 200 * _MIB  # of maps: rows that are scaled, and what laying out takes
_DRAWN_BYTES = 64 * _MIB  # of a report, with the documents that it shows
_RESULTS_AT_ONCE, _CELLS_AT_ONCE = 20, 1 << 21  # of partitions, and of the features that ISM counts together
_SWEPT_CELLS, _RESTARTS_PER_FIT = 1 << 20, 10  # of changed rules that are counted together; of rule lists
_HELD_BYTES = 256 * 10**6  # of sums, and of pseudo rows, at a node of a tree by STA


@dataclass(frozen=True, slots=True)
class Need:
    """A part of what a job needs."""

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
class Sizes:
    """Sizes of what a job works on."""

    n_rows: int
    n_trees: int
    n_features: int
    n_outputs: int  # classes, or one value
    n_nodes: int
    model_bytes: int
    n_leaves: int  # of all trees
    code_bytes: int  # of a row's leaf in a tree
    row_text_bytes: int  # of a row's name and target
    n_prototypes: int = 0  # of an explainer
    oracle_seconds: float = 0.0  # that an oracle takes for 1,000 rows; 0 of models with trees
    is_local: bool = True  # rows, their leaves and lists of these are in the process; otherwise they are on a cluster
    n_sampled_rows: int | None = None  # that a tree's job holds: of each dataset MAX_ROWS_HELD at most; None: all

    @classmethod
    def of(cls, model: Model, dataset: Dataset, n_other_rows: Sequence[int] = (), n_prototypes: int = 0) -> "Sizes":
        """Return the sizes of a model and its rows, including those of other datasets, to evaluate on, say."""
        most_leaves = min(model.n_leaves, 2 ** min(model.max_depth, 32))
        n_texts = sum(column.role in {"target", "row_id"} for column in dataset.columns)
        return cls(
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

    def on_cluster(self) -> "Sizes":
        """Return the sizes of what the job's own process holds where leaves are on a cluster."""
        return replace(self, code_bytes=0, is_local=False)

    def sampled(self) -> "Sizes":
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

    @property
    def list_bytes(self) -> int:
        """What it takes to list the rows of each leaf, which is done where trees have many leaves."""
        if not self.is_local:
            return 0
        return (_LIST_BYTES if self.n_leaves > _FEW_LEAVES * self.n_trees else 1) * self.n_paths


def estimate_job(kind: str, sizes: Sizes, request: Mapping[str, Any]) -> JobEstimate:
    """Return what a job of this kind would need for a request whose defaults are spelled out."""
    of_kind = ESTIMATES[kind]
    seconds = _SECONDS_TO_BEGIN + 5e-7 * sizes.n_paths + of_kind.seconds(sizes, request)
    return JobEstimate((*_reading(of_kind.held(sizes, request)), *of_kind.needs(sizes, request)), seconds)


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


def _reading(sizes: Sizes) -> tuple[Need, ...]:
    """Return what it takes to apply a model to rows, as every job does."""
    block_rows = min(sizes.n_rows, _BLOCK_ROWS)
    block = block_rows * (20 * sizes.n_features + 8 * sizes.n_trees + 8 * sizes.n_outputs)
    model = 6 * sizes.model_bytes + sizes.n_nodes * (400 + 16 * sizes.n_outputs)
    kept = sizes.n_rows * (8 * sizes.n_outputs + 8 + sizes.row_text_bytes)
    return (
        Need(20 * _MIB + block + kept, "send fewer rows", "/dataset"),
        Need(model, "take a model of fewer trees", "/model"),
    )


def _proximities(sizes: Sizes, request: Mapping[str, Any]) -> tuple[Need, ...]:
    cells = min(sizes.n_rows * max(request["n_neighbors"], sizes.n_outputs), _CELLS)
    if request.get("proximity_kind") == "euclidean":
        return _positions(sizes), Need(40 * cells + _COMPARED_BYTES, "request fewer neighbours", "/n_neighbors")
    return Need(sizes.list_bytes + _coarser(sizes, request)), Need(
        40 * cells, "request fewer neighbours", "/n_neighbors"
    )


def _label_audits(sizes: Sizes, request: Mapping[str, Any]) -> tuple[Need, ...]:
    if request["n_neighbors"] is not None:
        return _proximities(sizes, request)
    sums = 8 * min(sizes.n_rows * sizes.n_outputs, max(sizes.n_rows, _SUMMED_CELLS))
    counts = 4 * sizes.n_outputs * max(_COUNTED_CELLS, sizes.n_leaves)
    return Need(3 * sums + 150 * sizes.n_rows + _coarser(sizes, request)), Need(counts, "take smaller trees", "/model")


def _maps(sizes: Sizes, request: Mapping[str, Any]) -> tuple[Need, ...]:
    n_shown = min(sizes.n_rows, request["n_rows"])
    shown = n_shown * ((8 + 2 * sizes.code_bytes) * sizes.n_trees + 60 * request["n_neighbors"] + 8 * _LANDMARKS)
    return Need(_coarser(sizes, request)), Need(_MAP_BYTES + shown, "request fewer rows", "/n_rows")


def _seconds_of_map(sizes: Sizes, request: Mapping[str, Any]) -> float:
    n_shown = min(sizes.n_rows, request["n_rows"])
    return 4e-11 * float(n_shown) ** 2 * sizes.n_trees + 5e-3 * float(n_shown)


def _coarser(sizes: Sizes, request: Mapping[str, Any]) -> float:
    """Return what it takes to cut trees back, and to hold the leaves that rows have then."""
    if request["min_leaf_rows"] == 1:
        return 0
    return 2 * sizes.code_bytes * sizes.n_paths + 40 * sizes.n_nodes + 16 * sizes.n_leaves * sizes.n_outputs


def _prototype_sets(sizes: Sizes, request: Mapping[str, Any]) -> tuple[Need, ...]:
    if request.get("proximity_kind") == "euclidean":
        return _positions(sizes), Need(sizes.code_bytes * sizes.n_paths)
    pairs = min(
        sizes.n_rows * _n_candidates(sizes, request),
        max(_FEWEST_PAIRS, min(_PAIRS_PER_ROW * sizes.n_rows, _MOST_PAIRS)),
    )
    bytes_each = 24 if request["refine"] == "swap" else 12
    return (
        Need(
            _lists_of_prototype_sets(sizes, request)
            + 2 * sizes.code_bytes * sizes.n_paths
            + 200 * sizes.n_rows
            + _coarser(sizes, request)
        ),
        Need(bytes_each * pairs, "request fewer candidates", "/n_candidates"),
    )


def _positions(sizes: Sizes) -> Need:
    """Return what it takes to compare rows by plain distance: two copies of positions, and one column of values."""
    return Need(8 * sizes.n_cells + 400 * sizes.n_rows, "send fewer rows", "/dataset")


def _lists_of_prototype_sets(sizes: Sizes, request: Mapping[str, Any]) -> float:
    """Return what it takes to list the rows of each leaf: of uncut leaves first, and then of coarser ones."""
    if sizes.list_bytes > sizes.n_paths:
        return (2 if request["min_leaf_rows"] == "auto" else 1) * sizes.list_bytes
    # The file of reference rows, if it is kept, has the lists, however few the leaves are.
    return max(sizes.list_bytes, _LIST_BYTES * min(sizes.n_paths, MAX_CELLS))


def _n_candidates(sizes: Sizes, request: Mapping[str, Any]) -> int:
    n_all = sizes.n_rows if sizes.n_rows * sizes.n_paths <= _COMPARISONS else _SAMPLED
    return int(min(sizes.n_rows, request["n_candidates"] or n_all))


def _rule_sets(sizes: Sizes, request: Mapping[str, Any]) -> tuple[Need, ...]:
    method, sizes = request.get("method", "rule_list"), _held_by_rule_sets(sizes, request)
    if method in _OF_TREES:
        rows = Need(_COMPILING_BYTES + 40 * sizes.n_cells + 16 * sizes.n_rows * sizes.n_outputs, "send fewer rows")
        return rows, _OF_TREES[method](sizes, request[method] or {})
    # What is added up has a number for each region and bin.
    statements = 80 * sizes.n_nodes * max(20, request["max_rules"])
    regions = _kept_by_fits(sizes, request) if sizes.is_local else _swept_at_once(sizes, request)
    of_rows = 3 * sizes.n_cells + 60 * sizes.n_rows
    if request.get("method") == "rule_list" and request.get("labels") == "predicted":  # lists are found on pseudo rows
        n_sampled = min(sizes.n_rows, _BLOCK_ROWS)
        of_rows += 60 * n_sampled * sizes.n_features
        of_rows += 80 * min(_PSEUDO_CELLS, 2 * max(3_000, 2 * sizes.n_rows) * sizes.n_features)
    return (
        Need(_COMPILING_BYTES + of_rows, "send fewer rows", "/dataset"),
        Need(regions + statements, "request fewer rules, or send fewer rows", "/max_rules"),
    )


def _kept_by_fits(sizes: Sizes, request: Mapping[str, Any]) -> float:
    """Return what fits at once keep: numbers for each row and region."""
    is_list = request.get("method", "rule_list") == "rule_list"
    n_fits = max(1, request["n_restarts"] // (_RESTARTS_PER_FIT if is_list else 1))
    n_regions = max(10, int(request["max_rules"]))
    return 24.0 * min(int(n_fits), n_cores(), _MOST_PROCESSES) * sizes.n_rows * n_regions


def _swept_at_once(sizes: Sizes, request: Mapping[str, Any]) -> float:
    """Return what comes back from partitions of what changed rules would decide."""
    n_rules = int(request["max_rules"])
    of_candidate = sizes.n_nodes * max(2, sizes.n_outputs) * n_rules
    return 8.0 * _RESULTS_AT_ONCE * max(of_candidate, min(_SWEPT_CELLS, 2 * n_rules * of_candidate))


def _held_by_rule_sets(sizes: Sizes, request: Mapping[str, Any]) -> Sizes:
    """Return the sizes of what the job's process holds: few rows at most, of methods that add rows up on a cluster."""
    if sizes.is_local or request.get("method", "rule_list") in _OF_TREES:
        return sizes
    return replace(sizes, n_rows=min(sizes.n_rows, 2 * _BLOCK_ROWS))  # of a dataset, and of one to evaluate on


def _in_trees(sizes: Sizes, options: Mapping[str, Any]) -> Need:
    n_bytes = _n_paths_shown(sizes, options) * sizes.n_rows / 4  # a bit for each row, of splits and of rules
    return Need(n_bytes, "take fewer trees or less depth, or send fewer rows", "/in_trees")


def _n_paths_shown(sizes: Sizes, options: Mapping[str, Any]) -> float:
    n_trees = min(options.get("n_trees", 100), sizes.n_trees)
    return float(min(sizes.n_nodes, n_trees * 2 ** options.get("max_depth", 6)))


def _node_harvest(sizes: Sizes, options: Mapping[str, Any]) -> Need:
    n_nodes = min(options.get("n_nodes", 1000), sizes.n_nodes, sizes.n_trees * 2 ** (options.get("max_depth", 2) + 1))
    n_bytes = n_nodes * (sizes.n_rows / 8 + 5 * min(sizes.n_rows, 65_536) + 64 * n_nodes)
    return Need(n_bytes, "weight fewer nodes, or send fewer rows", "/node_harvest/n_nodes")


_OF_TREES: Mapping[str, Callable[[Sizes, Mapping[str, Any]], Need]] = {
    "in_trees": _in_trees,
    "node_harvest": _node_harvest,
    "decision_tree": lambda sizes, _: Need(16.0 * sizes.n_rows, "send fewer rows", "/dataset"),
}


def _approximation_trees(sizes: Sizes, request: Mapping[str, Any]) -> tuple[Need, ...]:
    held = sizes.sampled()
    rows = Need(40 * _MIB + 20 * held.n_cells + _in_partitions(sizes, request), "send fewer rows", "/dataset")
    if request["fitted_on"] == "dataset":
        return rows, Need((36 if request["method"] == "cart" else 0) * held.n_cells + 16 * held.n_paths)
    return rows, _TREE[request["method"]](held, request["max_pseudo_samples"])


def _in_partitions(sizes: Sizes, request: Mapping[str, Any]) -> float:
    """Return what the job's process holds of rows that are in partitions: on a cluster, no more than sums."""
    n_rows = sizes.n_rows - sizes.sampled().n_rows
    if not n_rows:
        return 0
    is_counted = request["method"] == "ism" and request["fitted_on"] == "dataset"
    cells = min((2 + sizes.n_outputs) * sizes.n_nodes, 2 * _CELLS_AT_ONCE)
    sums = 8 * _RESULTS_AT_ONCE * cells if is_counted else 0
    if not sizes.is_local:
        return sums
    bytes_a_row = 8 * sizes.n_outputs + 24 + (2 * sizes.n_features + 8 * sizes.n_outputs + 8 if is_counted else 0)
    block = _BLOCK_ROWS * (24 * sizes.n_features + 24 * sizes.n_outputs)
    return sums + bytes_a_row * n_rows + min(n_cores(), _MOST_PROCESSES) * block


def _pseudo(n_bytes: float) -> Need:
    return Need(n_bytes, "request fewer pseudo rows", "/max_pseudo_samples")


_TREE: Mapping[str, Callable[[Sizes, int], Need]] = {
    "sta": lambda sizes, n: _pseudo(
        min(_HELD_BYTES, 200 * sizes.n_cells * sizes.n_outputs)
        + min(_HELD_BYTES, 2 * n * (2 * sizes.n_features + 8 * sizes.n_outputs))
    ),
    "cart": lambda sizes, n: _pseudo(n * (36 * sizes.n_features + 24 * sizes.n_outputs)),
    "born_again": lambda sizes, n: _pseudo(n * (46 * sizes.n_features + 24 * sizes.n_outputs)),
    "ism": lambda sizes, n: _pseudo(
        n * (36 * sizes.n_features + 24 * sizes.n_outputs) + 16 * min(sizes.n_paths, _CELLS * sizes.n_trees)
    ),
}


def _explanation_sets(sizes: Sizes, _: Mapping[str, Any]) -> tuple[Need, ...]:
    # Blocks are cut to one size of text, whatever is included, one for each core; a prototype is stored as the splits
    # on its paths.
    blocks = Need(240 * _MIB + _BLOCK_BYTES * min(n_cores(), _MOST_PROCESSES))
    return blocks, Need(640 * sizes.n_prototypes * sizes.n_trees, "take a smaller explainer", "/explainer")


def _reports(sizes: Sizes, _request: Mapping[str, Any]) -> tuple[Need, ...]:
    """Return the models, the rows of a block, and what is drawn."""
    return (Need(2 * sizes.model_bytes + 2 * _BLOCK_BYTES + _DRAWN_BYTES),)


def _seconds_of_neighbors(sizes: Sizes, request: Mapping[str, Any]) -> float:
    if request.get("proximity_kind") == "euclidean":
        return _SECONDS_BY_DISTANCE * n_steps(sizes.n_rows, sizes.n_rows, sizes.n_features)
    return 4e-11 * sizes.n_rows * sizes.n_paths


def _seconds_of_audit(sizes: Sizes, request: Mapping[str, Any]) -> float:
    return (
        1e-8 * sizes.n_paths * sizes.n_outputs
        if request["n_neighbors"] is None
        else _seconds_of_neighbors(sizes, request)
    )


def _seconds_of_prototypes(sizes: Sizes, request: Mapping[str, Any]) -> float:
    if request.get("proximity_kind") == "euclidean":
        n_candidates = request["n_candidates"] or default_candidates(sizes.n_rows, sizes.n_features)
        return _SECONDS_BY_DISTANCE * n_steps(sizes.n_rows, n_candidates, sizes.n_features)
    n_selections = _SELECTIONS_TO_FIND_LEAVES if request["min_leaf_rows"] == "auto" else 1
    seconds = _SECONDS_OF_PROTOTYPES[request["refine"]] * _n_candidates(sizes, request) * sizes.n_paths
    return n_selections * seconds


def _seconds_of_rules(sizes: Sizes, request: Mapping[str, Any]) -> float:
    method = request.get("method", "rule_list")
    if method == "in_trees":
        return 2e-8 * sizes.n_rows * _n_paths_shown(sizes, request["in_trees"] or {})
    if method in _OF_TREES:
        return 2e-7 * sizes.n_cells
    return 2.5e-5 * sizes.n_cells * float(request.get("n_restarts", 1))


def _seconds_of_trees(sizes: Sizes, request: Mapping[str, Any]) -> float:
    if request["fitted_on"] == "dataset":
        return 0.0
    n_labelled = float(request["max_pseudo_samples"] * max(1, request.get("n_repeats") or 1))
    of_trees = _SECONDS_A_PSEUDO_ROW[request["method"]] * sizes.n_trees * n_labelled
    return of_trees + _NODES_LABELLED[request["method"]] * sizes.oracle_seconds * n_labelled / 1_000


@dataclass(frozen=True, slots=True)
class KindEstimate:
    """How jobs of one kind are estimated, from sizes and a request whose defaults are spelled out."""

    needs: Callable[[Sizes, Mapping[str, Any]], tuple[Need, ...]]
    seconds: Callable[[Sizes, Mapping[str, Any]], float]
    held: Callable[[Sizes, Mapping[str, Any]], Sizes] = lambda sizes, _: sizes  # of rows that the job's process holds


def _complete(estimates: Mapping[str, KindEstimate]) -> Mapping[str, KindEstimate]:
    """Return the estimates; refuse to start without one for each kind of job that is about a model."""
    kinds = {noun.name for noun in NOUNS.made_by_jobs if "relational_dataset" not in noun.made_from}
    if missing := kinds.difference(estimates):
        detail = f"jobs of {min(missing)} have no estimate: add one to service/operations/job_estimates.py"
        raise LookupError(detail)
    return estimates


_ESTIMATES: Mapping[str, KindEstimate] = {
    "proximities": KindEstimate(_proximities, _seconds_of_neighbors),
    "label_audits": KindEstimate(_label_audits, _seconds_of_audit),
    "prototype_sets": KindEstimate(_prototype_sets, _seconds_of_prototypes),
    "maps": KindEstimate(_maps, _seconds_of_map),
    "rule_sets": KindEstimate(_rule_sets, _seconds_of_rules, _held_by_rule_sets),
    "approximation_trees": KindEstimate(_approximation_trees, _seconds_of_trees, lambda sizes, _: sizes.sampled()),
    "explanation_sets": KindEstimate(_explanation_sets, lambda sizes, _: 1e-4 * sizes.n_rows),
    "reports": KindEstimate(_reports, lambda sizes, _: 1e-4 * sizes.n_rows),
}

ESTIMATES = _complete(_ESTIMATES)
