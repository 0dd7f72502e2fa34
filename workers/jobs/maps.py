"""Make a map: rows of a dataset, all of them or some that are drawn, in two dimensions."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.cautions import Caution
from schemas.maps import N_PREVIEWED, MapPreview, MapRequest, MapResult
from schemas.prototype_sets import PROTOTYPE_SETS
from storage.array_files import write_arrays
from storage.artefacts import ArtefactStore
from tree_explainers.compute.progress import part_of
from tree_explainers.maps.embedding import embed, sample_rows
from tree_explainers.maps.trustworthiness import evaluate_map

from ..runtime.context import JobContext, Produced
from .inputs import row_names
from .row_targets import fitting_targets
from .spaces import SPACE_LOADED, LeafSpace, load_leaf_space

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("label", pa.string()),
        ("predicted_label", pa.string()),
        ("outcome", pa.string()),
        ("target", pa.float64()),
        ("value", pa.float64()),
        ("prototype_rank", pa.int32()),
    ]
)
_GROUP_ROWS = 5_000
_CAUTION = Caution(
    code="map_is_no_scale",
    detail="rows that lie side by side are alike; how far apart groups lie, how large and how dense they are means "
    "nothing, and no axis has a meaning",
)


@dataclass(frozen=True, slots=True)
class _Mapped:
    """The rows on the map."""

    space: LeafSpace  # of these rows alone
    rows: NDArray[np.int64]  # (n_shown,) their indices in the dataset, ascending
    positions: NDArray[np.float64]  # (n_shown, 2)
    prototypes: NDArray[np.int64]  # (n_prototypes,) rows by rank


def make_map(context: JobContext) -> Produced:
    """Make the artefact that a ``MapRequest`` describes."""
    request = MapRequest(**context.request)
    whole = load_leaf_space(context, request)
    prototypes = _prototypes(context, request)
    model = whole.model.deciding()  # rows are coloured by what is decided
    rows = sample_rows(whole.dataset.n_rows, request.n_rows, prototypes, context.rng)
    # Trees are weighed by all rows: a map of some of them shows the same space.
    space = replace(whole, dataset=whole.dataset.take(rows))
    n_neighbors = min(request.n_neighbors, len(rows) - 1)
    report = part_of(context.report, SPACE_LOADED, 0.95)
    positions = embed(space.dataset.table, space.weights, n_neighbors, request.seed, report)
    mapped = _Mapped(space, rows, positions, prototypes)
    table = context.workspace / "map.parquet"
    lines = _lines(context, whole, mapped)
    whole = replace(whole, model=model)
    pq.write_table(lines, table, compression="zstd", row_group_size=_GROUP_ROWS)
    result = _result(whole, mapped, _preview(whole, lines), (n_neighbors, context.rng))
    leaves = space.dataset.leaves_of(np.arange(len(rows)))
    arrays = {**whole.arrays(), "leaves": leaves, "places": positions}
    return Produced(result.model_dump_json().encode(), write_arrays(arrays), files={"table": table})


def _prototypes(context: JobContext, request: MapRequest) -> NDArray[np.int64]:
    """Return the rows of the prototypes that are on the map, by rank."""
    if request.prototype_set is None:
        return np.empty(0, dtype=np.int64)
    artefact = ArtefactStore(context.database).get(PROTOTYPE_SETS.name, request.prototype_set)
    result = json.loads(context.objects.get(artefact.ready_result()))
    return np.array([prototype["row"] for prototype in result["prototypes"]], dtype=np.int64)


def _preview(whole: LeafSpace, lines: pa.Table) -> MapPreview:
    """Return rows at equal steps, and all prototypes."""
    is_shown = np.arange(lines.num_rows) % -(-lines.num_rows // N_PREVIEWED) == 0
    is_shown |= pc.is_valid(lines.column("prototype_rank")).to_numpy()
    shown = lines.filter(pa.array(is_shown))
    classes = pc.index_in(
        pc.coalesce(shown["outcome"], shown["label"], shown["predicted_label"]),
        pa.array(whole.model.view.classes, pa.string()),
    )
    return MapPreview(
        rows=shown["row"].to_pylist(),
        x=pc.round(shown["x"], 3).to_pylist(),
        y=pc.round(shown["y"], 3).to_pylist(),
        class_indices=classes.to_pylist(),
        values=[None] * len(shown) if whole.model.by_outcome else shown["value"].to_pylist(),
        prototype_ranks=shown["prototype_rank"].to_pylist(),
    )


def _result(
    whole: LeafSpace, mapped: _Mapped, preview: MapPreview, drawn: tuple[int, np.random.Generator]
) -> MapResult:
    n_neighbors, rng = drawn
    view, space = whole.model.view, mapped.space
    quality = evaluate_map(space.dataset.table, space.weights, mapped.positions, rng)
    return MapResult(
        proximity_kind=space.kind,
        task=view.task,
        classes=view.classes,
        n_rows=whole.dataset.n_rows,
        n_trees=view.n_trees,
        min_leaf_rows=space.leaves.min_leaf_rows,
        n_trees_used=space.n_trees_used,
        n_rows_shown=len(mapped.rows),
        n_prototypes=len(mapped.prototypes),
        n_neighbors=n_neighbors,
        neighbors_kept=quality.neighbors_kept,
        trustworthiness=quality.trustworthiness,
        neighbors_kept_by_chance=quality.neighbors_kept_by_chance,
        trustworthiness_by_chance=quality.trustworthiness_by_chance,
        n_rows_evaluated=quality.n_rows,
        preview=preview,
        cautions=[_CAUTION],
    )


def _lines(context: JobContext, whole: LeafSpace, mapped: _Mapped) -> pa.Table:
    """Return a line for each row on the map, in the order of the dataset."""
    dataset, rows = whole.dataset, mapped.rows
    classes = pa.array(whole.model.view.classes, pa.string())
    truth = fitting_targets(context.objects, whole.model, whole.dataset)
    nothing = pa.nulls(len(rows))
    is_classifier = dataset.labels is not None
    ranks = np.full(dataset.n_rows, 0, dtype=np.int32)
    ranks[mapped.prototypes] = np.arange(len(mapped.prototypes)) + 1
    columns = {
        "row": rows,
        "row_id": row_names(context.objects, whole.dataset.stored).take(rows),
        "x": mapped.positions[:, 0],
        "y": mapped.positions[:, 1],
        "label": nothing if truth is None or truth.classes is None else classes.take(truth.classes[rows]),
        "predicted_label": nothing if dataset.labels is None else classes.take(dataset.labels[rows]),
        "outcome": _outcomes(whole, rows),
        "target": nothing if truth is None or truth.values is None or is_classifier else truth.values[rows],
        "value": nothing if is_classifier else dataset.scores[rows, 0].astype(np.float64),
        "prototype_rank": pa.array(ranks[rows], mask=ranks[rows] == 0),
    }
    return pa.table(columns).cast(SCHEMA)


def _outcomes(whole: LeafSpace, rows: NDArray[np.int64]) -> pa.Array:
    """Return what is decided of rows, where that is something else than their predicted labels."""
    model = whole.model.deciding()
    if not model.by_outcome:
        return pa.nulls(len(rows))
    outcomes = whole.dataset.deciding(model).labels
    assert outcomes is not None  # it decides
    return pa.array(model.view.classes, pa.string()).take(outcomes[rows])
