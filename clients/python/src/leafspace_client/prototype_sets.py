"""Prototype sets: a handful of real rows that represent each class."""

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar

from .arguments import checked
from .artefacts import (
    TABLE_MEDIA_TYPES,
    ArtefactView,
    AwaitableArtefact,
    BlockingArtefact,
    Content,
    TableForm,
    content,
)
from .calls import Program, awaitable, blocking, call_of, create, fetch_all
from .contract.prototype_sets import (
    create_prototype_set,
    delete_prototype_set,
    export_prototype_set,
    get_prototype_set,
    get_prototype_set_content,
    list_prototype_sets,
    list_represented_rows,
)
from .frames import prototypes_frame
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, id_or_none, unless_none
from .operations import Request
from .texts import describe_prototypes
from .types import (
    UNSET,
    Criticism,
    EvaluatedOn,
    ExportPrototypeSetFormat,
    LabelAuditProximityKind,
    Labels,
    LeafRowsOrAuto,
    NearestRowsSpace,
    NumberOfPrototypes,
    PageRepresentedRow,
    Prototype,
    PrototypeSetEvaluation,
    PrototypeSetMethod,
    PrototypeSetMetric,
    PrototypeSetPerOutcome,
    PrototypeSetProximityKind,
    PrototypeSetRefine,
    PrototypeSetRequest,
    PrototypesOfOutcome,
    RepresentedRow,
    RunOn,
)
from .types import PrototypeSet as Details

PROTOTYPE_SETS: Noun[Details] = Noun(get_prototype_set, list_prototype_sets, delete_prototype_set)
Method = PrototypeSetMethod
ExportForm = ExportPrototypeSetFormat
Kept = TypeVar("Kept")


class PrototypeSetView(ArtefactView[Details]):
    """A prototype set as it was when it was last fetched; ``details`` has all fields that the service sends.

    As text it is its prototypes, one a line, the rows that they represent least, how near they are to the best there
    can be, and how well they predict beside the model and a constant prediction.
    """

    noun = PROTOTYPE_SETS
    contents = Content(get_prototype_set_content, TABLE_MEDIA_TYPES)

    @property
    def prototypes(self) -> list[Prototype]:
        """The prototypes in the order in which they were chosen."""
        prototypes: list[Prototype] = self._part("prototypes")
        return prototypes

    @property
    def criticisms(self) -> list[Criticism]:
        """Rows that no prototype represents well, the worst represented first: up to 10."""
        criticisms: list[Criticism] = self._part("criticisms")
        return criticisms

    @property
    def evaluation(self) -> list[PrototypeSetEvaluation]:
        """How well the nearest of the first prototypes predicts."""
        evaluation: list[PrototypeSetEvaluation] = self._part("evaluation")
        return evaluation

    @checked
    def to_frame(self) -> Any:  # a DataFrame
        """Return the prototypes as a DataFrame, one row each; needs pandas.

        Returns
        -------
        pandas.DataFrame
            ``rank`` (from 1), ``row_id``, ``label`` or ``value``, ``gain``, ``n_covered``, ``share_covered`` (0 to 1),
            and a column for each feature that is shown.

        Raises
        ------
        MissingExtra
            Without pandas.
        """
        return prototypes_frame(self.prototypes)

    def __str__(self) -> str:
        is_ready = self._has_result()
        return describe_prototypes(self.result) if is_ready else repr(self)


def _content(self: PrototypeSetView, form: TableForm = "json") -> Program[bytes]:
    """Return the whole result as the bytes of a JSON, CSV or Parquet file."""
    return (yield from content(self, form))


def _rows(self: PrototypeSetView, rank: int, limit: int | None = None) -> Program[list[RepresentedRow]]:
    """Return the rows that a prototype represents, the nearest first.

    Parameters
    ----------
    rank
        Of the prototype, from 1 on.
    limit
        How many rows at most; default: all.
    """

    def page_of(size: int, cursor: str | None) -> Request[PageRepresentedRow]:
        return list_represented_rows(self.id, rank=rank, limit=size, cursor=cursor)

    return (yield from fetch_all(page_of, limit))


def _export(self: PrototypeSetView, form: ExportForm = "python") -> Program[Any]:
    """Return the classifier that gives a row what its nearest prototype has: text, or bytes of ONNX; or a drawing.

    Python functions (``predict(row)``, ``nearest_prototype(row)``) need nothing but Python; SQL is one expression over
    the features; the ONNX model takes what the registered model takes. All predict what the service predicts, ties
    included; where the model scales numbers first, Python and SQL do so but for rounding at thresholds. DuckDB takes
    long to plan the SQL of several hundred trees; the other forms have no such limit.

    Parameters
    ----------
    form
        ``"python"``, ``"sql"``, ``"onnx"`` or ``"html"``.

    Returns
    -------
    str or bytes
        Bytes of ``"onnx"``, else text.
    """
    response = yield call_of(export_prototype_set(self.id, format_=form))
    # Not as the answer is declared: types of text without a charset are read as Latin by some.
    return response.content if form == "onnx" else response.content.decode()


def _counts(per_outcome: Mapping[str, int]) -> list[PrototypesOfOutcome]:
    return [PrototypesOfOutcome(outcome=outcome, n_prototypes=count) for outcome, count in per_outcome.items()]


class ComparedRows(TypedDict, total=False):
    """How explanations compare a row with all reference rows: those are the keys of ``nearest_rows``."""

    min_leaf_rows: int  # fewest rows of a leaf; default: 1, the trees' own leaves
    proximity_kind: LabelAuditProximityKind


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    method: Method = "sm_a",
    n_prototypes: NumberOfPrototypes | None = None,
    per_outcome: PrototypeSetPerOutcome | Mapping[str, int] = "auto",
    coverage: float | None = None,
    min_leaf_rows: LeafRowsOrAuto | None = None,
    nearest_rows: ComparedRows | None = None,
    alpha: float | None = None,
    labels: Labels | None = None,
    proximity_kind: PrototypeSetProximityKind = "auto",
    refine: PrototypeSetRefine = "none",
    selected_on: EvaluatedOn = "dataset",
    metric: PrototypeSetMetric = "balanced_accuracy",
    n_candidates: int | None = None,
    evaluation_dataset: Identified | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    run_on: RunOn = "auto",
) -> Program[Kept]:
    """Request a prototype set; call ``wait()`` on what is returned.

    The same request again is free: it gives the set that is made, or being made.

    Parameters
    ----------
    model, dataset
        What to select for and from: what registering returned, or ids.
    method
        ``sm_u``, ``sm_a``, ``sm_wa`` or ``sg`` (Tan et al.), ``a_pete`` (Karolczak & Stefanowski), or ``k_medoids``: of
        whatever class, for all rows together.
    n_prototypes
        How many; default 10. Not with ``a_pete``, which finds the number itself. ``validate``: as few as predict the
        rows of ``evaluation_dataset`` within one standard error of the best number, at most 100.
    per_outcome
        How they are shared among outcomes: by what each gains, but none that 1 % of the rows have goes without one
        (``auto``); ``by_gain`` alone, as in the papers; ``equal``; ``by_rows``; or a number for each outcome, such as
        ``{"good": 4, "bad": 6}``, in the place of ``n_prototypes``.
    coverage
        Instead of ``n_prototypes``: as many as it takes until this share of the rows has the minimum proximity (1 %,
        from 2 trees) to one of them, at most 1,000.
    min_leaf_rows
        Fewest rows of a leaf: trees are cut back to where splits leave fewer, and rows compared by the coarser leaves.
        ``auto``, the default, takes the smallest with which the prototypes reach 95 % of the rows, unless the nearest
        prototypes in larger ones predict better (``result.leaf_choice``); 1 are the trees' own leaves.
    nearest_rows
        How explanations compare a row with all reference rows, such as ``{"min_leaf_rows": 5, "proximity_kind":
        "boosting"}``; default: by the trees' own leaves, however coarse those of the prototypes are.
    alpha
        ``a_pete`` stops when gains change by no more than this share; default 0.05.
    labels
        Classes as the model predicts them (the default), or as the dataset's target has them.
    proximity_kind
        Which proximity; ``auto`` follows the model's kind of ensemble, and for boosting takes the weights of trees by
        which prototypes predict best, where ``min_leaf_rows`` is left open, too. ``euclidean``: plain distance between
        raw features instead, numbers by their ranks; a baseline to judge the trees' view by. Such a set has no
        certificate and no exports, and explains no rows; ``min_leaf_rows``, ``coverage`` and ``refine`` do not go with
        it.
    refine
        ``swap``: afterwards swap prototypes for other rows as long as that improves the objective.
    selected_on, metric
        Whose prediction by the nearest prototype ``sg`` improves, and by which measure.
    n_candidates
        How many rows, drawn at random, may become prototypes; default: all, or a sample where there are very many.
    """
    request = PrototypeSetRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        method=method,
        n_prototypes=n_prototypes,
        per_outcome=per_outcome if isinstance(per_outcome, str) else UNSET,
        n_per_outcome=None if isinstance(per_outcome, str) else _counts(per_outcome),
        coverage=coverage,
        min_leaf_rows=unless_none(min_leaf_rows),
        nearest_rows=unless_none(None if nearest_rows is None else NearestRowsSpace(**nearest_rows)),
        alpha=unless_none(alpha),
        labels=unless_none(labels),
        proximity_kind=proximity_kind,
        refine=refine,
        selected_on=selected_on,
        metric=metric,
        n_candidates=n_candidates,
        evaluation_dataset=id_or_none(evaluation_dataset),
        seed=seed,
        settings=unless_none(settings),
        run_on=run_on,
    )
    return self._wrapped((yield from create(create_prototype_set(body=request))))


class PrototypeSet(PrototypeSetView, BlockingArtefact):
    """A prototype set, for the blocking client."""

    content = blocking(_content)
    export = blocking(_export)
    rows = blocking(_rows)


class AsyncPrototypeSet(PrototypeSetView, AwaitableArtefact):
    """A prototype set, for the async client."""

    content = awaitable(_content)
    export = awaitable(_export)
    rows = awaitable(_rows)


class PrototypeSets(SyncDeletable[Details, PrototypeSet, PrototypeSet]):
    """All prototype sets, newest first."""

    noun = PROTOTYPE_SETS
    view = PrototypeSet
    create = blocking(_create)


class AsyncPrototypeSets(AsyncDeletable[Details, AsyncPrototypeSet, AsyncPrototypeSet]):
    """All prototype sets, newest first."""

    noun = PROTOTYPE_SETS
    view = AsyncPrototypeSet
    create = awaitable(_create)
