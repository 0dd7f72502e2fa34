"""Make an explanation set: explain every row of a dataset, block by block, in as many processes as there are cores.

Rows are composed by the code that answers calls, which holds the interpreter's lock: so they are shared by processes.
"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from explanations.effect_numbers import DIGITS
from explanations.explainer_records import read_explainer
from explanations.included_parts import n_rows_listed, n_values_shown, parts_of
from explanations.warm_explainer import WarmExplainer
from schemas.dictionaries import DictionaryUsed
from schemas.explanation_parts import PARTS
from schemas.explanation_sets import (
    ExplanationSetRequest,
    ExplanationSetResult,
    ExplanationSetSizes,
    LabelCount,
    LevelCount,
    MeanEffect,
    OutcomeCount,
    WarningCount,
)
from schemas.models import MAX_INSTANCES
from storage.array_files import write_arrays
from storage.dataset_rows import local_rows
from storage.datasets import DatasetStore
from storage.feature_matching import match_features
from storage.models import ModelStore
from tree_explainers.compute.exact_sums import exact_value
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.compute.threads import n_cores
from tree_explainers.prototype_sets.typicality import Level

from ..runtime.context import JobContext, Produced
from ..runtime.process_pool import in_processes
from .cluster_inputs import ModelSource, RowsSource
from .explanation_set_blocks import BlockExplainer, ExplainedRows, RenderedBlock, Tally, explained_on_cluster
from .inputs import open_explainer, open_model
from .leaf_tables import LeafTableContent, LeafTableRecorder, leaf_table_key, read_leaf_table

_BLOCK_BYTES = 4 << 20  # of lines: what a reader of one page has to decompress, and a process holds
_ROW_BYTES = 500  # of a line, beside the reasons
_REASON_BYTES = 330  # a feature of a prototype, and why the row is like it in it
_BLOCK_LEAVES = 1 << 22  # rows of a block x trees
_GROUP_BYTES = 64 << 20  # of a row group of the table in memory
_MAX_PROCESSES = 16
_FROM_REFERENCE = frozenset(part.name for part in PARTS if part.reads_reference_rows)


def make_explanation_set(context: JobContext) -> Produced:
    """Make the artefact that an ``ExplanationSetRequest`` describes."""
    request = ExplanationSetRequest(**context.request)
    context.report(0, "warming up the explainer")
    warm = open_explainer(context, request.explainer)
    explain = _explain if context.cluster is None else _explain_on_cluster
    with ExplanationSetFiles(context.workspace) as files:
        tally = explain(context, request, warm, files)
        paths = files.finish()
        content = _content(warm, tally, files.n_line_bytes, paths)
        return Produced(content.model_dump_json().encode(), write_arrays(files.index()), paths)


def _n_block_rows(warm: WarmExplainer, request: ExplanationSetRequest) -> int:
    """Return the number of rows of a block: fewer where explanations are longer."""
    n_near = min(request.n_prototypes, len(warm.prototypes))
    n_others = n_near + n_rows_listed(request)
    n_bytes = _ROW_BYTES + _REASON_BYTES * n_others * n_values_shown(request, len(warm.shown))
    by_lines, by_leaves = _BLOCK_BYTES // n_bytes, _BLOCK_LEAVES // warm.model.n_trees
    return max(1, min(MAX_INSTANCES, by_lines, by_leaves))


def _block_explainer(
    context: JobContext, request: ExplanationSetRequest, warm: WarmExplainer, leaf_table: LeafTableContent | None
) -> BlockExplainer:
    stored = DatasetStore(context.database).get(request.dataset)
    explainer = BlockExplainer(
        warm=warm,
        parts=parts_of(warm, request),
        path=local_rows(context.objects, stored.content, context.workspace),
        columns=match_features(warm.model, stored.view),
        n_rows=stored.view.n_rows,
        n_block_rows=_n_block_rows(warm, request),
        leaf_table=leaf_table,
        target=stored.view.target,
        are_reference=request.dataset == warm.dataset_id,
    )
    if warm.reference is not None and _FROM_REFERENCE & explainer.parts.included:
        warm.reference.open()  # once, for all processes
    return explainer


# The files: compressed JSON lines, and Parquet.


class ExplanationSetFiles:
    """The files while they are written; a context manager. Lines are frames of zstd that can be read alone."""

    def __init__(self, folder: Path) -> None:
        self._lines_path, self._table_path = folder / "explanations.jsonl.zst", folder / "explanations.parquet"
        self._lines = self._lines_path.open("wb")
        self._parquet: pq.ParquetWriter | None = None
        self._pending: list[pa.Table] = []
        self._n_pending_bytes = 0
        self._ends: list[tuple[int, int]] = [(0, 0)]  # rows and bytes up to the end of each frame
        self.n_line_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lines.close()
        if self._parquet is not None:
            self._parquet.close()

    def add(self, block: RenderedBlock) -> None:
        """Write a block; its table may wait for others to make a row group together."""
        self._lines.write(block.lines)
        n_rows, n_bytes = self._ends[-1]
        self._ends.append((n_rows + block.tally.n_rows, n_bytes + len(block.lines)))
        self.n_line_bytes += block.n_line_bytes
        self._pending.append(block.table)
        self._n_pending_bytes += block.table.nbytes
        if self._n_pending_bytes > _GROUP_BYTES:
            self._write_group()

    def finish(self) -> Mapping[str, Path]:
        """Write what is left; return the files by their names."""
        if self._pending:
            self._write_group()
        if self._parquet is not None:
            self._parquet.close()
        self._lines.close()
        return {"lines": self._lines_path, "table": self._table_path}

    def index(self) -> dict[str, NDArray[np.int64]]:
        """Return where frames begin, and where the last one ends: by their rows, and by their bytes among the lines."""
        rows, line_bytes = np.array(self._ends, dtype=np.int64).T
        return {"rows": rows, "bytes": line_bytes}

    def _write_group(self) -> None:
        group = pa.concat_tables(self._pending)
        self._pending, self._n_pending_bytes = [], 0
        if self._parquet is None:
            self._parquet = pq.ParquetWriter(self._table_path, group.schema, compression="zstd", store_schema=False)
        self._parquet.write_table(group, row_group_size=group.num_rows)


# Explaining.


def _explain(
    context: JobContext, request: ExplanationSetRequest, warm: WarmExplainer, files: ExplanationSetFiles
) -> Tally:
    """Write the explanation of each row, made by processes of this machine; return counts and sums over all rows."""
    key = leaf_table_key(warm.model.id, request.dataset)
    leaf_table = read_leaf_table(context, key, context.report)
    explainer = _block_explainer(context, request, warm, leaf_table)
    recorder = None
    if leaf_table is None:
        model = open_model(ModelStore(context.database), context.objects, warm.model.id)
        recorder = LeafTableRecorder(context, key, model.ensemble.n_leaves, explainer.n_rows)

    context.database.close()  # an open connection must not be carried into other processes
    writing = _Writing(context.report, files, explainer.n_rows)
    writing.report()
    n_processes = min(n_cores(), _MAX_PROCESSES)
    explain = lambda block: explainer.explain(block).parts()  # noqa: E731  # one expression
    with closing(in_processes(explain, explainer.n_blocks, n_processes, writing.report)) as results:
        for parts in results:
            rendered = RenderedBlock.of_parts(parts)
            start = writing.tally.n_rows
            writing.add(rendered)
            if recorder:
                recorder.add(slice(start, writing.tally.n_rows), rendered.outcome)
    if recorder:
        recorder.keep()
    return writing.tally


def _explain_on_cluster(
    context: JobContext, request: ExplanationSetRequest, warm: WarmExplainer, files: ExplanationSetFiles
) -> Tally:
    """Write the same, made by the workers of a cluster."""
    assert context.cluster is not None  # what this function is for
    stored = DatasetStore(context.database).get(request.dataset)
    rows = ExplainedRows(
        records=read_explainer(request.explainer, context.database, context.objects),
        model=ModelSource.of(ModelStore(context.database).get(warm.model.id)),
        request=request,
        rows=RowsSource(stored.content, tuple(match_features(warm.model, stored.view)), stored.view.target),
        n_rows=stored.view.n_rows,
        n_block_rows=_n_block_rows(warm, request),
    )
    writing = _Writing(context.report, files, rows.n_rows)
    for rendered in explained_on_cluster(context.cluster, rows):
        writing.add(rendered)
    return writing.tally


class _Writing:
    """Writes blocks in their order, adds up what is in them, and reports how far it is."""

    def __init__(self, report: ReportProgress, files: ExplanationSetFiles, n_rows: int) -> None:
        self._report, self._files, self._n_rows = report, files, n_rows
        self.tally = Tally()

    def add(self, rendered: RenderedBlock) -> None:
        self._files.add(rendered)
        self.tally.add(rendered.tally)
        self.report()

    def report(self) -> None:
        self._report(self.tally.n_rows / self._n_rows, "explaining")


def _content(warm: WarmExplainer, tally: Tally, n_line_bytes: int, paths: Mapping[str, Path]) -> ExplanationSetResult:
    classes, n_explained = warm.model.classes, tally.n_explained
    levels: tuple[Level, ...] = () if warm.typicality is None else get_args(Level)
    return ExplanationSetResult(
        model=warm.model.id,
        n_rows=tally.n_rows,
        n_explained=n_explained,
        n_abstained=tally.n_abstained,
        n_refused=tally.n_rows - n_explained,
        n_unassigned=tally.n_unassigned,
        agreement=tally.n_agreeing / n_explained if n_explained and (classes or warm.by_outcome) else None,
        labels=[LabelCount(label=label, n_rows=tally.n_of_label.get(label, 0)) for label in classes],
        outcomes=[] if warm.model.decision is None else _outcomes(warm, tally),
        typicality=[LevelCount(level=level, n_rows=tally.n_of_level.get(level, 0)) for level in levels],
        warnings=[WarningCount(code=code, n_rows=n_rows) for code, n_rows in sorted(tally.n_of_code.items())],
        mean_proximity=tally.proximity / n_explained if n_explained else None,
        mean_absolute_effects=_mean_absolute_effects(warm, tally),
        effects_scale=warm.effects.scale if warm.effects is not None and tally.n_with_effects else None,
        dictionary=DictionaryUsed(dataset=warm.dataset_id, revision=warm.wording.words.revision),
        n_bytes=ExplanationSetSizes(
            json_lines=n_line_bytes,
            json_lines_compressed=paths["lines"].stat().st_size,
            parquet=paths["table"].stat().st_size,
        ),
    )


def _outcomes(warm: WarmExplainer, tally: Tally) -> list[OutcomeCount]:
    return [OutcomeCount(outcome=name, n_rows=tally.n_of_outcome.get(name, 0)) for name in warm.model.outcomes]


def _mean_absolute_effects(warm: WarmExplainer, tally: Tally) -> list[MeanEffect]:
    """Return the mean size of each shown feature's effects that is not 0, the largest first."""
    if warm.effects is None or not tally.n_with_effects:
        return []
    sums = [
        (tally.effects[player], shown.name)
        for player, shown in warm.effects.texts.shown.items()
        if tally.effects[player]
    ]
    sums.sort(key=lambda entry: -entry[0])
    means = [(name, exact_value(total, tally.n_with_effects)) for total, name in sums]
    return [MeanEffect(feature=name, effect=float(f"{mean:.{DIGITS}g}")) for name, mean in means]
