"""Stored explanations: what explainers that store them have answered. Reading them takes a key with scope ``audit``."""

from typing import Any

from .calls import Connected, Program, awaitable, blocking, fetch, transport_of
from .contract.explanations import (
    delete_explanation,
    delete_explanations,
    get_explanation,
    list_explanations,
    verify_explanation,
)
from .explanations import Explanation
from .nouns import AsyncDeletable, Identified, Noun, SyncDeletable, View, id_of, load, refresh
from .types import StoredExplanation as Details
from .types import (
    StoredExplanationSummary,
    Verification,
)

EXPLANATIONS: Noun[Details] = Noun(get_explanation, list_explanations, delete_explanation)


class StoredExplanationView(View[Details | StoredExplanationSummary]):
    """A stored explanation; ``details`` has all fields that the service sends, but of lists a summary."""

    noun = EXPLANATIONS

    @property
    def row_id(self) -> str:
        """The name of the row."""
        return self.details.row_id

    @property
    def explainer(self) -> str:
        """Id of the explainer that answered."""
        return self.details.explainer

    @property
    def digest(self) -> str:
        """SHA-256 of the explanation as it was stored, in hexadecimal."""
        return self.details.digest

    @property
    def explanation(self) -> Explanation:
        """The explanation as it was answered."""
        whole = self._whole()
        return Explanation(whole.response, transport_of(self).labels.of(whole.model_sha256))

    @property
    def request(self) -> dict[str, Any]:
        """The request for this row alone: the row is in ``instances``, or named by ``dataset`` and ``row_ids``."""
        return dict(self._whole().request.to_dict())

    def _whole(self) -> Details:
        if not isinstance(self.details, Details):
            self._load_now()
        assert isinstance(self.details, Details)  # loaded above
        return self.details


def _verify_one(self: StoredExplanationView) -> Program[Verification]:
    """Have it computed again: the ``status`` is ``"same"``, ``"different"`` or ``"other_revision"``."""
    return (yield from _verified(self.id))


def _verify(self: Connected, explanation: Identified) -> Program[Verification]:  # a method
    """Have one computed again: the ``status`` is ``"same"``, ``"different"`` or ``"other_revision"``.

    Parameters
    ----------
    explanation
        A stored explanation, or its id.

    Raises
    ------
    Conflict
        If the explainer, or the dataset with the row, was deleted.
    """
    return (yield from _verified(id_of(explanation)))


def _verified(explanation_id: str) -> Program[Verification]:
    return (yield from fetch(verify_explanation(explanation_id)))


def _delete_row(self: Connected, explainer: Identified, row_id: str) -> Program[int]:  # a method
    """Delete all stored explanations of a row by an explainer, and return how many there were.

    Parameters
    ----------
    explainer
        An explainer, or its id.
    row_id
        The row's id, as it was explained.
    """
    deleted = yield from fetch(delete_explanations(explainer=id_of(explainer), row_id=str(row_id)))
    return deleted.n_deleted


class StoredExplanation(StoredExplanationView):
    """A stored explanation, for the blocking client."""

    refresh = blocking(refresh)
    load = blocking(load)
    verify = blocking(_verify_one)


class AsyncStoredExplanation(StoredExplanationView):
    """A stored explanation, for the async client."""

    refresh = awaitable(refresh)
    load = awaitable(load)
    verify = awaitable(_verify_one)


class StoredExplanations(SyncDeletable[Details, StoredExplanation, StoredExplanation]):
    """All stored explanations, newest first; ``created_from`` and ``created_before`` of ``list`` are datetimes."""

    noun = EXPLANATIONS
    view = StoredExplanation
    verify = blocking(_verify)
    delete_row = blocking(_delete_row)


class AsyncStoredExplanations(AsyncDeletable[Details, AsyncStoredExplanation, AsyncStoredExplanation]):
    """All stored explanations, newest first; ``created_from`` and ``created_before`` of ``list`` are datetimes."""

    noun = EXPLANATIONS
    view = AsyncStoredExplanation
    verify = awaitable(_verify)
    delete_row = awaitable(_delete_row)
