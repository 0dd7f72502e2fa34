"""Explanations: single predictions explained by their nearest prototypes, in the words of the service."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, overload

import leafspace_client  # of which types of answers are imported when they are looked up

from .arguments import checked
from .displays import Displayed
from .errors import Invalid
from .explanation_fields import ExplanationFields
from .frames import FrameOf, explanations_frame
from .headlines import counted, headline
from .known_documents import KnownDocuments
from .labels import Label
from .records import ignored_line
from .rows import id_text
from .suggestions import did_you_mean
from .texts import describe_explanation, outcome_words
from .types import (
    AbstainedRow,
    ExplainedRow,
    Include,
    NearestRowsOptions,
    OutcomeText,
    Provenance,
    RefusedRow,
)

if TYPE_CHECKING:
    from .pictures import Drawing, Json

_SHOWN_EXPLANATIONS = 10
_SHOWN_OUTCOMES = 5


class SearchedRows(TypedDict, total=False):
    """Which of the reference rows to list: those are the keys of ``nearest_rows``."""

    n_rows: int  # at most; default: 5
    classes: Sequence[Label]  # only rows for which the model predicts one of these, in your own type
    max_per_group: int  # from near to far, a row is passed over when its group has that many
    group_by: str  # column of the reference dataset with the groups; default: the predicted class
    row_ids: Sequence[str | int]  # only these rows


class WishedChanges(TypedDict, total=False):
    """Which changes of a row to search: those are the keys of ``changes``."""

    outcome: Label  # that a change is to give; default: the next better one, or the other class with the highest score
    max_features: int  # that change together, at most; default: 10
    fixed: Sequence[str]  # features that never change
    only_up: Sequence[str]  # numbers that only grow
    only_down: Sequence[str]  # numbers that only shrink


def parts_of(
    include: Sequence[Include],
    nearest_rows: SearchedRows | None,
    changes: WishedChanges | None,
    reference: str | None,
    outcome: Label | None,
) -> dict[str, Any]:
    """Return the fields of a request; who says which rows or changes to list wants them."""
    fields: dict[str, Any] = {} if reference is None else {"reference": reference}
    if outcome is not None:
        fields["outcome"] = id_text(outcome, "outcome")
    implied: list[Include] = []
    if nearest_rows is not None:
        implied.append("nearest_rows")
        wanted = {key: _wanted(key, value) for key, value in nearest_rows.items()}
        fields["nearest_rows"] = NearestRowsOptions.from_dict(wanted)
    if changes is not None:
        implied.append("changes")
        fields |= _fields_of_changes(**changes)
        if outcome is not None and fields["outcome"] != id_text(outcome, "outcome"):
            detail = f"outcome is {outcome!r}, and changes aim at {changes.get('outcome')!r}; name one of the two"
            raise Invalid("validation_failed", detail)
    included = list(dict.fromkeys([*include, *implied]))
    return fields | ({"include": included} if included else {})


def _fields_of_changes(
    *, outcome: Label | None = None, max_features: int = 10, **constraints: Sequence[str]
) -> dict[str, Any]:
    wished = {} if outcome is None else {"outcome": id_text(outcome, "changes, outcome,")}
    named = {constraint: list(names) for constraint, names in constraints.items() if names}
    return wished | {"max_changed_features": max_features} | named


def _wanted(key: str, value: Any) -> Any:  # of each field its own
    return value if isinstance(value, int | str) else [id_text(each, f"nearest_rows, {key},") for each in value]


@dataclass(frozen=True, slots=True)
class Beside:
    """What the picture of an explanation can use: what made it, and the documents that the client has met."""

    provenance: Provenance | None = None
    known_documents: KnownDocuments = field(default_factory=KnownDocuments)
    outcome_texts: Sequence[OutcomeText] = ()  # what the dictionary calls outcomes

    @property
    def of_pictures(self) -> "tuple[Json | None, KnownDocuments, list[dict[str, Any]]]":
        """The same as pictures take it: as JSON."""
        made_by = None if self.provenance is None else self.provenance.to_dict()
        return made_by, self.known_documents, [each.to_dict() for each in self.outcome_texts]


class Explanation(ExplanationFields, Displayed):
    """One prediction explained, or why it could not be; printed, it shows what the service says about it.

    A row is explained (``status`` is ``ok``), or it is too far from every prototype to be explained by them
    (``abstained``: its prediction and nearest prototypes are here, without reasons), or the model cannot read it
    (``error``). Of the last, ``is_ok`` is false and ``problem`` says why; reading anything else raises that problem.

    Labels have the caller's own type where this client registered the model, or after
    ``client.models.use_labels``: ``explanation.label`` equals what ``forest.predict`` returns. Labels of other models
    are text, as in the whole API: ``"0"`` for 0, ``"true"`` for True.

    Parameters
    ----------
    details
        What the service sent.
    labels
        The caller's labels by their text; empty: they stay text.
    beside
        What its picture can use; default: nothing.

    Examples
    --------
    >>> from leafspace_client import Explanation
    >>> from leafspace_client.types import ExplainedRow
    >>> near = {"row_id": "loan-7", "label": "1", "proximity": 0.8, "reasons": []}
    >>> prediction = {"task": "classification", "label": "1", "scores": [{"label": "1", "value": 0.9}]}
    >>> sent = {"object": "explanation", "row_id": "loan-4711", "status": "ok", "summary": "Predicted as 1.",
    ...         "prediction": prediction, "warnings": [], "nearest_prototypes": [near]}
    >>> explanation = Explanation(ExplainedRow.from_dict(sent), {"0": 0, "1": 1})
    >>> explanation.label, explanation.scores, explanation["nearest_prototypes"][0].label
    (1, {1: 0.9}, 1)
    >>> explanation
    Explanation of row loan-4711: 1 (0.9), nearest prototype loan-7 (0.8)
    """

    def __init__(
        self,
        details: ExplainedRow | AbstainedRow | RefusedRow,
        labels: Mapping[str, Label] | None = None,
        beside: Beside | None = None,
    ) -> None:
        super().__init__(details, labels)
        self._beside = beside or Beside()

    @checked
    def to_dict(self) -> dict[str, Any]:
        """Return what the service sent, where labels are text."""
        return self.details.to_dict()

    @checked
    def to_frame(self, rows: FrameOf = "explanations") -> Any:  # a DataFrame
        """Return a DataFrame of this explanation; needs pandas.

        Parameters
        ----------
        rows
            ``"explanations"``, ``"reasons"`` or ``"effects"``: rows and columns are those of ``Explanations.to_frame``.
        """
        return explanations_frame([self], rows)

    @checked
    def notice(self, title: str = "About the decision") -> "leafspace_client.Notice":
        """Return a short letter: the outcome, its principal reasons, and what would change it where that was included.

        It says in general terms with whom the row was compared, and holds nothing of another case. ``print`` shows it
        as Markdown; ``notice.html`` is HTML.

        Parameters
        ----------
        title
            Its heading.
        """
        from .notices import notice_of  # imports what draws

        return notice_of(self._explained.to_dict(), title)

    def __str__(self) -> str:
        return describe_explanation(self, outcome_words(self._beside.outcome_texts))

    def __repr__(self) -> str:
        return headline(self.details if self.problem else self._explained, kind="Explanation")

    def _drawn_document(self) -> "tuple[Json, Json | None]":
        made_by = self._beside.provenance
        dataset = None if made_by is None else made_by.dataset_sha256
        return self.to_dict(), self._beside.known_documents.document(dataset)

    def _draw(self) -> "Drawing":
        from .pictures import drawing_of_explanation  # imports what draws

        return drawing_of_explanation(self.to_dict(), *self._beside.of_pictures)


def _answer(explanation: Explanation) -> str:
    """Return what was decided of a row by bands, else the predicted class; of others how they ended."""
    if not explanation.is_ok:
        return "refused"
    if explanation.decision and explanation.decision.bands:
        return explanation.decision.outcome
    return explanation.status if explanation.label is None else str(explanation.label)


class Explanations(Sequence[Explanation], Displayed):
    """Explanations in the order of the rows; ``provenance`` names what made them (``None`` without rows).

    They are found by position, ``explanations[0]``, and by the name of a row, ``explanations["loan-4711"]``.
    ``ignored_columns`` names columns of the rows that the model does not read, the first 100 of each call.
    """

    def __init__(
        self, explanations: Sequence[Explanation], provenance: Provenance | None, ignored_columns: Sequence[str] = ()
    ) -> None:
        self._explanations = list(explanations)
        self._by_row_id = {explanation.row_id: explanation for explanation in self._explanations}
        self.provenance = provenance
        self.ignored_columns = tuple(ignored_columns)

    @overload
    def __getitem__(self, index: int | str) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | str | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return Explanations(self._explanations[index], self.provenance, self.ignored_columns)
        if isinstance(index, str) and index not in self._by_row_id:
            message = f"no explanation is of row {index!r}{did_you_mean(index, self._by_row_id)}"
            raise KeyError(message)
        return self._by_row_id[index] if isinstance(index, str) else self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._explanations)

    def __str__(self) -> str:
        shown = [str(explanation) for explanation in self._explanations[:_SHOWN_EXPLANATIONS]]
        rest = len(self) - len(shown)
        ignored = [ignored_line(self.ignored_columns)] if self.ignored_columns else []
        return "\n\n".join([*shown, *([f"… and {rest:,} more"] if rest else []), *ignored])

    def __repr__(self) -> str:
        counts = Counter(map(_answer, self))
        outcomes = ", ".join(f"{n:,} {outcome}" for outcome, n in counts.most_common(_SHOWN_OUTCOMES))
        return f"Explanations of {counted(len(self), 'row')}{f' ({outcomes})' if len(counts) > 1 else ''}"

    def _drawn_document(self) -> "tuple[Json, Json | None]":
        return {"object": "explanations"}, None

    def _draw(self) -> "Drawing":
        from .pictures import drawing_of_explanations  # imports what draws

        beside = next((each._beside for each in self._explanations), Beside())  # noqa: SLF001  # of this module
        return drawing_of_explanations([explanation.to_dict() for explanation in self], *beside.of_pictures)

    @checked
    def to_frame(self, rows: FrameOf = "explanations") -> Any:  # a DataFrame
        """Return a DataFrame with a row for each explanation, reason or effect; needs pandas.

        Parameters
        ----------
        rows
            ``"explanations"``: a row for each, in their order, also for abstained and refused ones. The columns are
            ``row_id``, ``status``; the ``label``, with a column such as ``score_yes`` for each class, or the ``value``;
            ``outcome``, of the decision, where there is one; ``target``, of rows of a dataset that has one;
            ``typicality_level`` and ``typicality_percentile`` (0 to 100); of the nearest prototype
            ``prototype_row_id``, ``prototype_label`` or ``prototype_value``, ``proximity`` (0 to 1) and the texts of
            its reasons ``reason_1``, ``reason_2``, …; ``summary``; ``warnings``, as one text. ``value_age`` and
            ``prototype_value_age`` follow for each feature where values were included, and ``problem_code`` and
            ``problem_detail`` where rows were refused.
            ``"reasons"``: a row for each reason of each near prototype, with ``row_id``, ``prototype_rank``,
            ``prototype_row_id``, of classifiers ``prototype_label``, ``proximity``, ``reason_rank``, ``feature``,
            ``text``, ``value``, ``prototype_value`` and ``share_of_trees`` (0 to 1). Ranks begin at 1.
            ``"effects"``: a row for each listed effect, with ``row_id``, ``of`` (a class) of classifiers, ``scale``,
            ``reference`` (its kind), ``reference_row_id`` (missing of a mean), ``effect_rank``, ``feature``, ``value``,
            ``reference_value``, ``effect``, in the scale, and ``points`` of probability (-1 to 1) where the scale is
            ``log_odds`` and there are two classes. ``feature_text``, ``value_text`` and ``reference_text`` say the same
            in the words of a dictionary, where it has some. A last one without a ``feature`` has the sum of the others,
            where there are any.

        Returns
        -------
        pandas.DataFrame
            Labels in the type that explanations have them in; what does not apply to a row is missing in it.
            ``frame.attrs["ignored_columns"]`` names columns that the model does not read, where there are any.

        Raises
        ------
        MissingExtra
            Without pandas.

        Examples
        --------
        >>> from leafspace_client import Explanation, Explanations
        >>> from leafspace_client.types import ExplainedRow
        >>> reason = {"feature": "age", "text": "age is above 30", "share_of_trees": 0.5}
        >>> near = {"row_id": "7", "label": "yes", "proximity": 0.8, "reasons": [reason]}
        >>> prediction = {"task": "classification", "label": "yes", "scores": [{"label": "yes", "value": 0.9}]}
        >>> sent = {"object": "explanation", "row_id": "a", "status": "ok", "summary": "Predicted as yes.",
        ...         "prediction": prediction, "warnings": [], "nearest_prototypes": [near]}
        >>> explanations = Explanations([Explanation(ExplainedRow.from_dict(sent))], None)
        >>> explanations.to_frame()[["row_id", "label", "score_yes", "reason_1"]].to_dict("records")
        [{'row_id': 'a', 'label': 'yes', 'score_yes': 0.9, 'reason_1': 'age is above 30'}]
        >>> explanations.to_frame("reasons")[["row_id", "prototype_row_id", "feature"]].to_dict("records")
        [{'row_id': 'a', 'prototype_row_id': '7', 'feature': 'age'}]
        """
        frame = explanations_frame(self._explanations, rows)
        frame.attrs |= {"ignored_columns": list(self.ignored_columns)} if self.ignored_columns else {}
        return frame
