"""Names of explainers: what applications call, while the explainer behind it is exchanged."""

from typing import Any, TypeVar

from .calls import Connected, Program, awaitable, blocking, fetch, fetch_all
from .contract.explainer_names import (
    delete_explainer_name,
    get_explainer_name,
    list_explainer_name_changes,
    list_explainer_names,
    put_explainer_name,
)
from .explainers import explain_rows
from .nouns import AsyncDeletable, Collection, Identified, Noun, SyncDeletable, View, id_of, load, refresh
from .types import (
    UNSET,
    ExplainerName,
    ExplainerNameChange,
    ExplainerNameRequest,
)

EXPLAINER_NAMES: Noun[ExplainerName] = Noun(get_explainer_name, list_explainer_names, delete_explainer_name)
Kept = TypeVar("Kept")


class NamedExplainerView(View[ExplainerName]):
    """A name; which explainer it means is as of when it was last fetched, and ``explain`` uses the present one."""

    noun = EXPLAINER_NAMES

    def __init__(self, transport: Any, details: ExplainerName | None, name: str = "") -> None:  # either
        super().__init__(transport, details, name if details is None else details.name)

    @property
    def name(self) -> str:
        """The name, which applications call."""
        return self.id

    @property
    def explainer(self) -> str:
        """Id of the explainer that the name means."""
        return self.details.explainer

    @property
    def last_change(self) -> str:
        """The change that led to this state: ``put(…, expected=named)`` is refused after any other."""
        return self.details.last_change


def _history(self: Connected, name: Identified) -> Program[list[ExplainerNameChange]]:  # a method
    """Return who changed what a name means, and when, newest first; also of a name that was deleted.

    Parameters
    ----------
    name
        The name, or what ``get`` returned for it.

    Raises
    ------
    NotFound
        If nobody ever gave this name.
    """
    return (yield from _changes(id_of(name)))


def _own_history(self: NamedExplainerView) -> Program[list[ExplainerNameChange]]:
    """Return who changed what this name means, and when, newest first."""
    return (yield from _changes(self.name))


def _changes(name: str) -> Program[list[ExplainerNameChange]]:
    return (yield from fetch_all(lambda size, cursor: list_explainer_name_changes(name, limit=size, cursor=cursor)))


def _put(
    self: Collection[ExplainerName, Kept],
    name: str,
    explainer: Identified,
    *,
    force: bool = False,
    expected: NamedExplainerView | None = None,
) -> Program[Kept]:
    """Give an explainer a name, or a name another explainer; every process follows within two seconds.

    Parameters
    ----------
    name
        Lower-case letters, digits and hyphens, at most 63, a letter first.
    explainer
        What creating it returned, or its id.
    force
        Whether the features and classes of the model may differ from those that callers of the name are used to.
    expected
        The name as you read it: where somebody changed it meanwhile, nothing is changed.

    Raises
    ------
    Conflict
        If features or classes differ, or, with ``expected``, if the name has another state.
    """
    request = ExplainerNameRequest(explainer=id_of(explainer), force=force)
    tag = UNSET if expected is None else f'"{expected.last_change}"'
    return self._wrapped((yield from fetch(put_explainer_name(name=name, body=request, if_match=tag))))


class NamedExplainer(NamedExplainerView):
    """A name of an explainer, for the blocking client."""

    refresh = blocking(refresh)
    load = blocking(load)
    history = blocking(_own_history)
    explain = blocking(explain_rows)


class AsyncNamedExplainer(NamedExplainerView):
    """A name of an explainer, for the async client."""

    refresh = awaitable(refresh)
    load = awaitable(load)
    history = awaitable(_own_history)
    explain = awaitable(explain_rows)


class ExplainerNames(SyncDeletable[ExplainerName, NamedExplainer, NamedExplainer]):
    """All names, newest first."""

    noun = EXPLAINER_NAMES
    view = NamedExplainer
    put = blocking(_put)
    history = blocking(_history)


class AsyncExplainerNames(AsyncDeletable[ExplainerName, AsyncNamedExplainer, AsyncNamedExplainer]):
    """All names, newest first."""

    noun = EXPLAINER_NAMES
    view = AsyncNamedExplainer
    put = awaitable(_put)
    history = awaitable(_history)
