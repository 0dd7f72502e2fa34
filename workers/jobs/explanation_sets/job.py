"""Make an explanation set: explain every row of a dataset, a block at a time, on all cores."""

from collections.abc import Mapping
from pathlib import Path

from explanations.explained_blocks import BlockExplainer
from explanations.warm_explainer import WarmExplainer
from explanations.warming import warm_up
from schemas.explanation_sets import (
    ExplanationSetRequest,
    ExplanationSetResult,
    ExplanationSetSizes,
    LabelCount,
)
from storage.array_files import write_arrays
from storage.dataset_files import DatasetFile
from storage.datasets import DatasetStore
from storage.feature_matching import match_features
from storage.models import ModelStore
from tree_explainers.compute.threads import in_order, n_cores
from tree_explainers.onnx_models.session import ModelSession

from ...runtime.context import JobContext, Produced
from ..inputs import open_model
from ..leaf_tables import place_of, read_kept
from .files import SetFiles
from .learning import LearnedOutcomes
from .reading import RowsToExplain
from .telling import Tally, Teller

_BLOCK_BYTES = 16 << 20  # of lines: what is worked on at once
_FRAMES_PER_BLOCK = 4  # what a reader of one page has to decompress, and what caches hold
_REASON_BYTES = 330  # a feature of a prototype, and why the row is like it in it
_SHARED_TREES = 1 << 24  # of a block: pairs of rows and prototypes x trees
_MAX_BLOCK_ROWS = 2048


def make_explanation_set(context: JobContext) -> Produced:
    """Make what an ``ExplanationSetRequest`` asks for."""
    request = ExplanationSetRequest(**context.request)
    context.report(0, "warming up the explainer")
    warm = warm_up(request.explainer, context.database, context.objects, lambda model: _open(context, model))
    explainer = BlockExplainer.build(
        warm,
        request.n_prototypes,
        with_contrast="contrast" in request.include,
        with_rules="rules" in request.include,
        with_path="approximation_path" in request.include,
    )
    stored = DatasetStore(context.database).get(request.dataset)
    columns = match_features(warm.model, stored.view)
    kept = read_kept(context, place_of(warm.model.id, request.dataset), context.report)
    with DatasetFile(context.objects.path(stored.content)) as file, SetFiles(context.workspace) as files:
        learned = None if kept else _room_to_learn(context, warm.model.id, file.n_rows)
        tally = _explain(context, explainer, RowsToExplain(file, columns, kept), files, learned)
        if learned:
            learned.keep(warm.model.id, request.dataset)
        paths = files.finish()
        content = _content(warm, tally, files.n_line_bytes, paths)
        return Produced(content.model_dump_json().encode(), write_arrays(files.index()), paths)


def _open(context: JobContext, model_id: str) -> ModelSession:
    return open_model(ModelStore(context.database), context.objects, model_id).session


def _room_to_learn(context: JobContext, model_id: str, n_rows: int) -> LearnedOutcomes:
    model = open_model(ModelStore(context.database), context.objects, model_id)
    return LearnedOutcomes(context, model.ensemble.n_leaves, n_rows)


def _explain(
    context: JobContext,
    explainer: BlockExplainer,
    rows: RowsToExplain,
    files: SetFiles,
    learned: LearnedOutcomes | None,
) -> Tally:
    """Write down what is said of each row; return what was counted."""
    n_block_rows = _n_block_rows(explainer)
    teller, tally = Teller(explainer, -(-n_block_rows // _FRAMES_PER_BLOCK)), Tally()
    blocks = rows.blocks(n_block_rows)
    # One more than cores: while a finished row group is written, there is still something to do.
    for (block, _), told in in_order(lambda block: teller.tell(*block), blocks, n_cores() + 1):
        files.add(told)
        if learned:
            learned.add(slice(block.first_row, block.first_row + len(block)), told.outcome)
        tally.add(told.tally)
        context.report(tally.n_rows / rows.file.n_rows, "explaining")
    return tally


def _n_block_rows(explainer: BlockExplainer) -> int:
    """Return how many rows go together: fewer where there is more to tell of each."""
    n_near = min(explainer.n_prototypes, len(explainer.warm.prototypes))
    n_values = n_near * max(1, len(explainer.warm.prototypes[0].texts))
    by_lines = _BLOCK_BYTES // (_REASON_BYTES * n_values)
    by_trees = _SHARED_TREES // (n_near * explainer.warm.model.n_trees)
    return max(1, min(_MAX_BLOCK_ROWS, by_lines, by_trees))


def _content(warm: WarmExplainer, tally: Tally, n_line_bytes: int, paths: Mapping[str, Path]) -> ExplanationSetResult:
    classes, n_explained = warm.model.classes, tally.n_explained
    return ExplanationSetResult(
        model=warm.model.id,
        n_rows=tally.n_rows,
        n_explained=n_explained,
        n_refused=tally.n_rows - n_explained,
        n_unassigned=tally.n_unassigned,
        agreement=tally.n_agreeing / n_explained if classes and n_explained else None,
        labels=[LabelCount(label=label, n_rows=tally.n_of_label[index]) for index, label in enumerate(classes)],
        mean_proximity=tally.proximity / n_explained if n_explained else None,
        n_bytes=ExplanationSetSizes(
            json_lines=n_line_bytes,
            json_lines_compressed=paths["lines"].stat().st_size,
            parquet=paths["table"].stat().st_size,
        ),
    )
