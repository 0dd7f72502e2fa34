"""Make an explanation set: explain every row of a dataset, a block at a time, on all cores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from explanations.explained_blocks import BlockExplainer, RowBlock
from explanations.warm_explainer import WarmExplainer, warm_up
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
from tree_explainers.onnx_models.session import ModelSession, Outcome

from ..runtime.context import JobContext, Produced
from .explanation_set_files import BlockRenderer, ExplanationSetFiles, Tally
from .inputs import open_model
from .leaf_tables import LeafTableContent, LeafTableRecorder, place_of, read_leaf_table

_BLOCK_BYTES = 16 << 20  # of lines: what is worked on at once
_FRAMES_PER_BLOCK = 4  # what a reader of one page has to decompress, and what caches hold
_REASON_BYTES = 330  # a feature of a prototype, and why the row is like it in it
_SHARED_TREES = 1 << 24  # of a block: pairs of rows and prototypes x trees
_MAX_BLOCK_ROWS = 2048
_READ_CELLS = 1 << 23  # read at a time: 64 MiB of numbers
_MAX_READ_ROWS = 65_536


def make_explanation_set(context: JobContext) -> Produced:
    """Make the artefact that an ``ExplanationSetRequest`` describes."""
    request = ExplanationSetRequest(**context.request)
    context.report(0, "warming up the explainer")
    explainer = _load_explainer(context, request)
    warm = explainer.warm
    stored = DatasetStore(context.database).get(request.dataset)
    columns = match_features(warm.model, stored.view)
    place = place_of(warm.model.id, request.dataset)
    kept = read_leaf_table(context, place, context.report)
    with DatasetFile(context.objects.path(stored.content)) as file, ExplanationSetFiles(context.workspace) as files:
        recorder = None
        if kept is None:
            model = open_model(ModelStore(context.database), context.objects, warm.model.id)
            recorder = LeafTableRecorder(context, place, model.ensemble.n_leaves, file.n_rows)
        n_block_rows = _n_block_rows(explainer)
        renderer = BlockRenderer(explainer, request, -(-n_block_rows // _FRAMES_PER_BLOCK))
        rows = RowsToExplain(file, columns, kept)
        tally = _explain(context, renderer, rows.blocks(n_block_rows), file.n_rows, files, recorder)
        if recorder:
            recorder.keep()
        paths = files.finish()
        content = _content(warm, tally, files.n_line_bytes, paths)
        return Produced(content.model_dump_json().encode(), write_arrays(files.index()), paths)


def _load_explainer(context: JobContext, request: ExplanationSetRequest) -> BlockExplainer:
    def open_session(model_id: str) -> ModelSession:
        return open_model(ModelStore(context.database), context.objects, model_id).session

    return BlockExplainer.build(
        warm_up(request.explainer, context.database, context.objects, open_session),
        request.n_prototypes,
        with_contrast=request.detail == "full" or "contrast" in request.include,
        with_rules=request.detail == "full" or "rules" in request.include,
        with_path=request.detail == "full" or "approximation_path" in request.include,
    )


@dataclass(frozen=True, slots=True)
class RowsToExplain:
    """A dataset's rows, with the model's outcome if an earlier job kept it."""

    file: DatasetFile
    columns: Sequence[str]  # the dataset's column for each feature
    kept: LeafTableContent | None

    def blocks(self, n_block_rows: int) -> Iterator[tuple[RowBlock, Outcome | None]]:
        """Yield blocks of consecutive rows, each with the model's outcome if that is known.

        Parameters
        ----------
        n_block_rows
            Largest number of rows of a block.
        """
        are_booleans = tuple(self.file.column(name).type == "boolean" for name in self.columns)
        n_read_rows = max(1, min(_MAX_READ_ROWS, _READ_CELLS // len(self.columns)))
        for start in range(0, self.file.n_rows, n_read_rows):
            rows = range(start, min(start + n_read_rows, self.file.n_rows))
            values = tuple(self.file.read_columns(self.columns, rows.start, rows.stop))
            read = RowBlock(start, self.file.row_ids(rows), values, are_booleans)
            for first in range(0, len(read), n_block_rows):
                block = read.part(slice(first, min(first + n_block_rows, len(read))))
                yield block, None if self.kept is None else self.kept.outcome(_rows_of(block))


def _explain(
    context: JobContext,
    renderer: BlockRenderer,
    blocks: Iterator[tuple[RowBlock, Outcome | None]],
    n_rows: int,
    files: ExplanationSetFiles,
    recorder: LeafTableRecorder | None,
) -> Tally:
    """Write the explanation of each row; return counts and sums over all rows."""
    tally = Tally()
    # One more than cores: while a finished row group is written, there is still something to do.
    for (block, _), rendered in in_order(lambda block: renderer.render(*block), blocks, n_cores() + 1):
        files.add(rendered)
        if recorder:
            recorder.add(_rows_of(block), rendered.outcome)
        tally.add(rendered.tally)
        context.report(tally.n_rows / n_rows, "explaining")
    return tally


def _n_block_rows(explainer: BlockExplainer) -> int:
    """Return the number of rows of a block: fewer where explanations are longer."""
    n_near = min(explainer.n_prototypes, len(explainer.warm.prototypes))
    n_values = n_near * max(1, len(explainer.warm.shown))
    by_lines = _BLOCK_BYTES // (_REASON_BYTES * n_values)
    by_trees = _SHARED_TREES // (n_near * explainer.warm.model.n_trees)
    return max(1, min(_MAX_BLOCK_ROWS, by_lines, by_trees))


def _rows_of(block: RowBlock) -> slice:
    return slice(block.first_row, block.first_row + len(block))


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
