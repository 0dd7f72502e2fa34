"""Explainers: a model with the prototypes, and perhaps the rules and the tree, that explain its predictions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeVar

from .calls import Program, awaitable, blocking, create, fetch, transport_of
from .contract.explainers import (
    delete_explainer,
    explain,
    get_explainer,
    list_explainers,
    register_explainer,
    rename_explainer,
)
from .errors import Invalid, LeafspaceError
from .explanations import Beside, Explanation, Explanations, SearchedRows, WishedChanges, parts_of
from .labels import Label
from .nested_rows import is_nested, nested_batches, nested_instances
from .nouns import (
    AsyncDeletable,
    Collection,
    Identified,
    Noun,
    Settings,
    SyncDeletable,
    View,
    id_of,
    id_or_none,
    load,
    refresh,
    rename,
    rename_one,
    unless_none,
)
from .records import warned_of_ignored
from .row_batches import NamedRows, is_stream, named_batches, peeked
from .rows import batches, id_text, names_of
from .showing import show_row
from .types import (
    UNSET,
    Detail,
    ExplainerRequest,
    ExplainerSummary,
    ExplanationRequest,
    Include,
    NumberOfReasons,
    Problem,
    RefusedRow,
)
from .types import Explainer as Details

EXPLAINERS: Noun[Details] = Noun(get_explainer, list_explainers, delete_explainer, rename_explainer)
_EVERY_ROW_FAILED = "every_row_failed"
Kept = TypeVar("Kept")


class ExplainerView(View[Details | ExplainerSummary]):
    """A registered explainer; ``details`` has all fields that the service sends, but of lists a summary."""

    noun = EXPLAINERS
    _figures: ClassVar[Mapping[str, str]] = {
        "model": "model",
        "prototype_set": "prototypes",
        "rule_set": "rules",
        "approximation_tree": "tree",
    }

    @property
    def name(self) -> str | None:
        """Its name for people; ``rename`` changes it."""
        return self.details.name

    @property
    def model(self) -> str:
        """Id of the model."""
        return self.details.model

    @property
    def prototype_set(self) -> str:
        """Id of the prototype set."""
        return self.details.prototype_set

    @property
    def shown_features(self) -> list[str] | str:
        """Features of the (real) prototype rows that explanations show, or ``"all"``."""
        if not isinstance(self.details, Details):
            self._load_now()
        assert isinstance(self.details, Details)  # loaded above
        return self.details.shown_features


def explain_rows(  # what explanations may have
    self: View[Any],
    rows: Any = None,  # DataFrames, arrays, dicts, lists
    row_ids: Iterable[Any] | None = None,
    *,
    dataset: Identified | None = None,
    n_prototypes: int = 3,
    n_reasons: NumberOfReasons = 5,
    include: Sequence[Include] = (),
    n_contrasts: int = 1,
    nearest_rows: SearchedRows | None = None,
    changes: WishedChanges | None = None,
    reference: str | None = None,
    outcome: Label | None = None,
    detail: Detail = "short",
) -> Program[Explanations]:
    """Return an explanation for each row, in their order.

    Parameters
    ----------
    rows
        A DataFrame, an array of shape (n_rows, n_features), a dict or Series (one row), or a list of rows. More than
        1,000 are sent in several calls; a generator of rows, or of batches of them, is read as it is sent. Of a model
        over several tables also examples as their rows, by table:
        ``[{"customer": customer, "account": accounts}]``, of data frames, lists of dicts, or one row as a dict or
        Series.
    row_ids
        Your names for the rows, each another one; default: the index of a DataFrame, the name of a Series, the primary
        keys of examples sent as their rows by table where each has one, else the rows' 0-based indices. With
        ``dataset``: the ids of its rows that are to be explained.
    dataset
        A registered dataset, instead of ``rows``: ``explain(dataset=loans, row_ids=["loan-4711"])``.

    Returns
    -------
    Explanations
        In the order of the rows, with labels in the caller's own type where this client registered the model.

    Raises
    ------
    Invalid
        With the code ``every_row_failed`` if not a single row could be explained; ``errors`` has the problem of each. A
        row that the model cannot read does not fail the others: its explanation has ``is_ok`` false and a ``problem``.

    Examples
    --------
    >>> explanations = explainer.explain(X.iloc[:3], n_reasons=2)
    >>> [explanation.status for explanation in explanations], explanations[0].label
    (['ok', 'ok', 'ok'], 'malignant')
    >>> explanations.to_frame().columns[:5].tolist()
    ['row_id', 'status', 'label', 'score_benign', 'score_malignant']
    >>> explanations["0"].nearest_prototypes[0].reasons[0].text.startswith(explanations[0].proximity_reasons[0].feature)
    True
    """
    # Named here, so that the names are right across several calls.
    parts, has_names = _rows_to_explain(rows, row_ids, dataset)
    explanations: list[Explanation] = []
    all_names: list[str] = []
    ignored: list[str] = []
    provenance, failure = None, None
    for batch, names in parts:
        all_names += names
        request = ExplanationRequest(
            instances=batch if dataset is None else UNSET,
            dataset=UNSET if dataset is None else id_of(dataset),
            row_ids=names if has_names else UNSET,
            n_prototypes=n_prototypes,
            n_reasons=n_reasons,
            n_contrasts=n_contrasts,
            detail=detail,
            **parts_of(include, nearest_rows, changes, reference, outcome),
        )
        try:
            answer = yield from fetch(explain(self.id, body=request))
        except Invalid as error:
            if error.code != _EVERY_ROW_FAILED:
                raise
            failure = error
            explanations += _refused(error, names)
            continue
        provenance = answer.provenance
        labels = transport_of(self).labels.of(provenance.model_sha256)
        beside = Beside(provenance, transport_of(self).known_documents, answer.outcome_texts or ())
        explanations += [Explanation(row, labels, beside) for row in answer.data]
        ignored += answer.ignored_columns or []
    if failure is not None and provenance is None:
        raise failure
    if not has_names:
        _name_once(explanations, all_names)
    return Explanations(explanations, provenance, warned_of_ignored(ignored))


def _name_once(explanations: Sequence[Explanation], names: Sequence[str]) -> None:
    """Give rows the names of all calls together: each call names its rows by itself, by indices from 0 on."""
    if len({each.row_id for each in explanations}) < len(explanations):
        for name, each in zip(names, explanations, strict=True):
            each.details.row_id = name


def _rows_to_explain(
    rows: Any,  # as for ``explain``
    row_ids: Iterable[Any] | None,
    dataset: Identified | None,
) -> tuple[Iterator[NamedRows], bool]:
    """Return rows as instances with their ids, in batches, and whether to send the ids; of a dataset, no values."""
    if (rows is None) == (dataset is None) or (dataset is not None and row_ids is None):
        ways = "explain(rows), or explain(dataset=loans, row_ids=['17'])"
        raise Invalid(
            "validation_failed", f"give either rows, or a dataset with the row_ids of some of its rows: {ways}"
        )
    if dataset is None:
        first, rows = peeked(rows) if is_stream(rows) else (rows, rows)
        nested = nested_instances(rows) if not is_stream(rows) or is_nested(first) else None
        if nested is None:
            return named_batches(rows, row_ids), True
        names = names_of(row_ids, len(nested))
        return _with_names(nested_batches(nested), names), row_ids is not None
    names = [id_text(row_id, f"row_ids[{row}]") for row, row_id in enumerate(row_ids or ())]
    return _with_names(batches([[] for _ in names]), names), True


def _with_names(parts: Iterable[list[Any]], names: Sequence[str]) -> Iterator[NamedRows]:
    first = 0
    for batch in parts:
        yield batch, list(names[first : first + len(batch)])
        first += len(batch)


def _refused(error: LeafspaceError, row_ids: Sequence[str]) -> Iterator[Explanation]:
    """Yield an explanation with a problem for each row of a call of which every row failed."""
    for row_id, row in zip(row_ids, error.errors, strict=True):
        code = row.code or error.code
        problem = Problem(
            type_=f"/problems/{code}",
            title="The row could not be explained",
            status=error.status or 422,
            detail=row.detail,
            code=code,
        )
        yield Explanation(RefusedRow(row_id=row_id, status="error", problem=problem))


def _create(  # what an explainer may be made of
    self: Collection[Details, Kept],
    model: Identified,
    prototype_set: Identified,
    *,
    rule_set: Identified | None = None,
    approximation_tree: Identified | None = None,
    name: str | None = None,
    shown_features: Sequence[str] | Literal["all"] = "all",
    abstain_below: float | None = None,
    store_explanations: bool = False,
    settings: Settings | None = None,
) -> Program[Kept]:
    """Register a model with the prototypes that explain its predictions.

    Parameters
    ----------
    model, prototype_set
        What creating them returned, or ids.
    rule_set
        Rules of the same model, which explanations give with ``include=["rules"]``.
    approximation_tree
        A tree for the same model; ``include=["approximation_path"]`` gives each row's path in it.
    shown_features
        Which values of the (real) prototype rows a caller ever sees.
    abstain_below
        Percentile of typicality below which rows are not explained, such as 5; ``None``: all are.
    store_explanations
        Whether the service stores each explanation, with its row, for keys with the scope ``audit``.
    settings : none
    """
    request = ExplainerRequest(
        model=id_of(model),
        prototype_set=id_of(prototype_set),
        rule_set=id_or_none(rule_set),
        approximation_tree=id_or_none(approximation_tree),
        name=name,
        shown_features="all" if shown_features == "all" else list(shown_features),
        abstain_below=abstain_below,
        store_explanations=store_explanations,
        settings=unless_none(settings),
    )
    return self._wrapped((yield from create(register_explainer(body=request))))


class Explainer(ExplainerView):
    """An explainer, for the blocking client."""

    refresh = blocking(refresh)
    load = blocking(load)
    rename = blocking(rename)
    explain = blocking(explain_rows)
    show = blocking(show_row)


class AsyncExplainer(ExplainerView):
    """An explainer, for the async client."""

    refresh = awaitable(refresh)
    load = awaitable(load)
    rename = awaitable(rename)
    explain = awaitable(explain_rows)
    show = awaitable(show_row)


class Explainers(SyncDeletable[Details, Explainer, Explainer]):
    """All explainers, newest first."""

    noun = EXPLAINERS
    view = Explainer
    create = blocking(_create)
    rename = blocking(rename_one)


class AsyncExplainers(AsyncDeletable[Details, AsyncExplainer, AsyncExplainer]):
    """All explainers, newest first."""

    noun = EXPLAINERS
    view = AsyncExplainer
    create = awaitable(_create)
    rename = awaitable(rename_one)
