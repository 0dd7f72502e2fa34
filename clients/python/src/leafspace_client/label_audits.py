"""Label audits: rows whose label the rows like them contradict."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from . import label_decisions
from .artefacts import (
    TABLE_MEDIA_TYPES,
    ArtefactView,
    AwaitableArtefact,
    BlockingArtefact,
    Content,
    TableFile,
    download,
    every_item,
)
from .calls import Program, Work, awaitable, blocking, call_of, create
from .contract.label_audits import (
    create_label_audit,
    delete_label_audit,
    get_label_audit,
    get_label_audit_content,
    list_label_audits,
)
from .errors import NotFound
from .frames import audited_rows_frame
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, unless_none
from .texts import describe_suspects, describe_wrong_labels
from .types import (
    AuditedRow,
    LabelAuditMethod,
    LabelAuditProximityKind,
    LabelAuditRequest,
    LabelAuditResult,
    LeafRowsOrAuto,
    RunOn,
)
from .types import LabelAudit as Details

LABEL_AUDITS: Noun[Details] = Noun(get_label_audit, list_label_audits, delete_label_audit)
Kept = TypeVar("Kept")


class LabelAuditView(ArtefactView[Details]):
    """A label audit as it was when it was last fetched; ``details`` has all fields that the service sends.

    As text it is the ten rows whose labels look most wrong, and how many labels are, as far as rows can say.
    """

    noun = LABEL_AUDITS
    contents = Content(get_label_audit_content, TABLE_MEDIA_TYPES)

    @property
    def suspects(self) -> list[AuditedRow]:
        """The rows that are most suspect, lowest support first: up to 100."""
        rows: list[AuditedRow] = self._part("rows")
        return rows

    def __str__(self) -> str:
        is_ready = self._has_result()
        if not is_ready:
            return repr(self)
        return describe_suspects(self.result)

    def _contents(self, result: LabelAuditResult) -> str:
        estimated = describe_wrong_labels(result)
        if estimated is None:
            return f"{result.n_rows:,} rows, another label suggested for {result.n_suggested:,}"
        return f"{result.n_rows:,} rows, labels that are wrong: {estimated}"


def _rows(self: LabelAuditView) -> Program[list[AuditedRow]]:
    """Return all rows, lowest support first."""
    return (yield from every_item(self))


def _to_frame(self: LabelAuditView) -> Program[Any]:
    """Return all rows as a DataFrame, lowest support first; needs pandas.

    Returns
    -------
    pandas.DataFrame
        The fields of ``AuditedRow``: ``rank`` (from 1), ``row`` (from 0), ``row_id``, ``label``; ``agreement``,
        ``score`` and ``support`` (0 to 1); ``n_neighbors``, ``disagreeing_proximity``, ``suggested_label``,
        ``predicted_label`` and ``wrong_probability`` (0 to 1).

    Raises
    ------
    MissingExtra
        Without pandas.
    """
    rows: Sequence[AuditedRow] = yield from _rows(self)
    return (yield Work(lambda: audited_rows_frame(rows)))


def _download(self: LabelAuditView, path: str | Path, form: TableFile = "parquet") -> Program[Path]:
    """Write all rows to a file, lowest support first, and return its path.

    Parameters
    ----------
    form : columns

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    method: LabelAuditMethod | None = None,
    use_scores: bool | None = None,
    n_neighbors: int | None = None,
    proximity_kind: LabelAuditProximityKind = "auto",
    min_leaf_rows: LeafRowsOrAuto | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    run_on: RunOn = "auto",
) -> Program[Kept]:
    """Request an audit of which labels of a dataset (its target) look wrong; call ``wait()`` on what is returned.

    Parameters
    ----------
    method
        Who votes on a row's label: ``all_rows``, each with the weight of its proximity, or the nearest ``neighbors``,
        each with one vote. ``auto``, the default, takes all rows by the leaves of a forest and neighbours otherwise.
    use_scores
        Whether rows are ranked by the share of the votes for their label times the model's probability of it: by
        default wherever the model's scores are probabilities.
    n_neighbors
        Number of nearest other rows that vote with ``neighbors``, 50 by default; 10 in the paper.
    min_leaf_rows
        Fewest rows of a leaf: trees are cut back to where splits leave fewer; 1 compares by the trees' own leaves, as
        in the paper. ``auto``, the default, takes the smallest with which enough rows share leaves with rows of
        another label.
    seed
        Seed of the trees that estimate how many labels are wrong, and of a sample of rows for them.
    """
    request = LabelAuditRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        method=unless_none(method),
        use_scores=use_scores,
        n_neighbors=n_neighbors,
        proximity_kind=proximity_kind,
        min_leaf_rows=unless_none(min_leaf_rows),
        seed=seed,
        settings=unless_none(settings),
        run_on=run_on,
    )
    return self._wrapped((yield from create(create_label_audit(body=request))))


def _delete(
    self: Collection[Details, Kept],  # a method
    thing: Identified,
    *,
    with_decisions: bool = False,
) -> Program[None]:
    """Delete one that nothing is built on; one that people have decided about only ``with_decisions``.

    Parameters
    ----------
    thing
        The label audit, or its id.
    with_decisions
        Delete what people decided about its rows, too.

    Raises
    ------
    Conflict
        If a report was made of it, or people have decided about rows and ``with_decisions`` is false.
    """
    try:
        yield call_of(delete_label_audit(id_of(thing), with_decisions=with_decisions))
    except NotFound as error:
        # Tried again, because the first answer was lost in transit: it is gone, as intended.
        if error.n_attempts == 1:
            raise


class LabelAudit(LabelAuditView, BlockingArtefact):
    """A label audit, for the blocking client."""

    rows = blocking(_rows)
    to_frame = blocking(_to_frame)
    download = blocking(_download)
    decide = blocking(label_decisions.decide)
    withdraw = blocking(label_decisions.withdraw)
    decisions = blocking(label_decisions.decisions)
    review = blocking(label_decisions.review)
    counts = blocking(label_decisions.counts)
    export_decisions = blocking(label_decisions.export)


class AsyncLabelAudit(LabelAuditView, AwaitableArtefact):
    """A label audit, for the async client."""

    rows = awaitable(_rows)
    to_frame = awaitable(_to_frame)
    download = awaitable(_download)
    decide = awaitable(label_decisions.decide)
    withdraw = awaitable(label_decisions.withdraw)
    decisions = awaitable(label_decisions.decisions)
    review = awaitable(label_decisions.review)
    counts = awaitable(label_decisions.counts)
    export_decisions = awaitable(label_decisions.export)


class LabelAudits(SyncDeletable[Details, LabelAudit, LabelAudit]):
    """All label audits, newest first."""

    noun = LABEL_AUDITS
    view = LabelAudit
    create = blocking(_create)
    delete = blocking(_delete)


class AsyncLabelAudits(AsyncDeletable[Details, AsyncLabelAudit, AsyncLabelAudit]):
    """All label audits, newest first."""

    noun = LABEL_AUDITS
    view = AsyncLabelAudit
    create = awaitable(_create)
    delete = awaitable(_delete)
