"""Evaluations: how well a model predicts the labels of a dataset, and where it is wrong."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

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
from .calls import Program, Work, awaitable, blocking, create
from .contract.evaluations import (
    create_evaluation,
    delete_evaluation,
    get_evaluation,
    get_evaluation_content,
    list_evaluations,
)
from .frames import groups_frame, points_frame, records_frame
from .model_ids import model_of
from .nouns import AsyncDeletable, Collection, Identified, Noun, SyncDeletable, id_of
from .records import Records
from .texts import caution_lines, number, tenths
from .types import (
    ErrorRegion,
    EvaluatedColumn,
    EvaluationRequest,
    EvaluationResult,
    OutcomeEvaluation,
    WrongRow,
)
from .types import Evaluation as Details

EVALUATIONS: Noun[Details] = Noun(get_evaluation, list_evaluations, delete_evaluation)
Kept = TypeVar("Kept")
EvaluationFrame: TypeAlias = Literal["wrong_rows", "regions", "points", "groups"]


class EvaluationView(ArtefactView[Details]):
    """An evaluation as it was when it was last fetched; ``details`` has all fields that the service sends.

    As text it is what was found, on which rows, and reasons to read the figures with care.
    """

    noun = EVALUATIONS
    contents = Content(get_evaluation_content, TABLE_MEDIA_TYPES)

    @property
    def summary(self) -> str:
        """What was found, in words."""
        summary: str = self._part("summary")
        return summary

    @property
    def outcomes(self) -> Sequence[OutcomeEvaluation]:
        """Curves, cut-offs and calibration of the positive class, or of each of several; none of a regression."""
        classes = self.result.classification
        return Records([] if classes is None else classes.outcomes)

    @property
    def groups(self) -> Sequence[EvaluatedColumn]:
        """Rates and errors by group, for each column of ``group_by``."""
        groups: Sequence[EvaluatedColumn] = self._part("groups")
        return groups

    @property
    def regions(self) -> Sequence[ErrorRegion]:
        """Where the model is wrong more than elsewhere, as rules."""
        regions: Sequence[ErrorRegion] = self._part("regions")
        return regions

    @property
    def wrong_rows(self) -> Sequence[WrongRow]:
        """The first 100 wrong rows, the surest first; of a regression the largest errors. ``rows()`` has all."""
        rows: Sequence[WrongRow] = self._part("wrong_rows")
        return rows

    def __str__(self) -> str:
        is_ready = self._has_result()
        if not is_ready:
            return repr(self)
        result = self.result
        return "\n".join([result.summary, f"Measured on {result.measured_on}.", *caution_lines(result)])

    def _contents(self, result: EvaluationResult) -> str:
        rows = f"{result.n_evaluated:,} {'held-out ' if result.held_out else ''}rows"
        if result.classification is None:
            error = None if result.regression is None else result.regression.mean_absolute_error.value
            return f"{rows}, values off by {number(error)} on average"
        share = result.classification.accuracy.share or 0.0
        return f"{rows}, {tenths(share)} right, balanced {tenths(result.classification.balanced_accuracy.value)}"


def _rows(self: EvaluationView) -> Program[list[WrongRow]]:
    """Return all wrong rows, the surest first; of a regression all rows, the largest error first."""
    return (yield from every_item(self))


def _to_frame(self: EvaluationView, rows: EvaluationFrame = "wrong_rows") -> Program[Any]:
    """Return wrong rows, regions, points of curves or groups as a DataFrame; needs pandas.

    Parameters
    ----------
    rows
        ``"wrong_rows"``, all of them; ``"regions"``; ``"points"`` of the curves of all outcomes; or ``"groups"``.

    Returns
    -------
    pandas.DataFrame
        Of wrong rows ``rank`` (from 1), ``row`` (from 0), ``row_id``, ``label``, ``predicted``, ``score`` and
        ``label_score`` (as the model has them), ``value``, ``predicted_value`` and ``residual``; of regions the fields
        of ``ErrorRegion``; of points ``outcome``, ``cutoff``, ``true_positive_rate``, ``false_positive_rate`` and
        ``precision`` (0 to 1); of groups ``column``, ``group``, ``n_rows``, each figure, and ``differs``.

    Raises
    ------
    MissingExtra
        Without pandas.
    """
    if rows == "wrong_rows":
        listed: Sequence[WrongRow] = yield from _rows(self)
        return (yield Work(lambda: records_frame(listed)))
    if rows == "regions":
        return (yield Work(lambda: records_frame(self.regions)))
    return (yield Work(lambda: groups_frame(self.groups) if rows == "groups" else points_frame(self.outcomes)))


def _download(self: EvaluationView, path: str | Path, form: TableFile = "parquet") -> Program[Path]:
    """Write all wrong rows to a file, the surest first, and return its path.

    Parameters
    ----------
    form : columns

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _create(
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    positive: str | None = None,
    group_by: Sequence[str] = (),
    max_regions: int = 5,
    seed: int = 0,
) -> Program[Kept]:
    """Request how well a model predicts the labels of a dataset; call ``wait()`` on what is returned.

    Parameters
    ----------
    model : by explainer
    dataset
        Rows with a target, best such that the model was not trained on them; those without a label are left out.
    positive
        Class that cut-offs, curves, calibration and rates of groups are about: by default the one that is decided on,
        or the second of two; of more classes each against the rest.
    group_by
        Columns by whose values rates and errors are compared, at most 8.
    max_regions
        Maximum number of rules that say where the model is wrong.
    seed
        Draws the rows among which rules are sought, of more than 20,000.
    """
    request = EvaluationRequest(
        model=(yield from model_of(model)),
        dataset=id_of(dataset),
        positive=positive,
        group_by=list(group_by),
        max_regions=max_regions,
        seed=seed,
    )
    return self._wrapped((yield from create(create_evaluation(body=request))))


class Evaluation(EvaluationView, BlockingArtefact):
    """An evaluation, for the blocking client."""

    rows = blocking(_rows)
    to_frame = blocking(_to_frame)
    download = blocking(_download)


class AsyncEvaluation(EvaluationView, AwaitableArtefact):
    """An evaluation, for the async client."""

    rows = awaitable(_rows)
    to_frame = awaitable(_to_frame)
    download = awaitable(_download)


class Evaluations(SyncDeletable[Details, Evaluation, Evaluation]):
    """All evaluations, newest first."""

    noun = EVALUATIONS
    view = Evaluation
    create = blocking(_create)


class AsyncEvaluations(AsyncDeletable[Details, AsyncEvaluation, AsyncEvaluation]):
    """All evaluations, newest first."""

    noun = EVALUATIONS
    view = AsyncEvaluation
    create = awaitable(_create)
