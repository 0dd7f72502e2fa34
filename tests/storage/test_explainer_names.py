"""Names of explainers: what each means, who changed it, and changes that race."""

import pytest

from schemas.explainer_names import ExplainerName
from storage.database import Database
from storage.errors import InUse, NotFound
from storage.explainer_names import Change, ExplainerNameStore
from tests.support.stored import Shelf


@pytest.fixture
def names(shelf: Shelf, rows_database: Database) -> ExplainerNameStore:
    """Return a store beside which there are two explainers, ``xpl_1`` and ``xpl_2``."""
    shelf.make(shelf.create()[0])
    for explainer in ("xpl_1", "xpl_2"):
        shelf.explain(explainer)
    return ExplainerNameStore(rows_database)


def _point(names: ExplainerNameStore, explainer: str, seen: ExplainerName | None) -> ExplainerName | None:
    return names.point(Change("credit-risk", explainer, forced=False), seen, "key_1")


def test_a_name_means_what_it_was_last_given(names: ExplainerNameStore) -> None:
    first = _point(names, "xpl_1", None)
    second = _point(names, "xpl_2", first)

    assert first is not None
    assert second == names.get("credit-risk")
    assert (second.explainer, second.created_at) == ("xpl_2", first.created_at)
    assert second.changed_at > first.changed_at
    assert second.last_change != first.last_change
    assert names.targets() == {"credit-risk": "xpl_2"}
    assert names.list(10, None).data == [second] == names.list(10, None, explainer="xpl_2").data
    assert names.list(10, None, explainer="xpl_1").data == []


def test_a_change_that_was_decided_on_another_state_is_not_made(names: ExplainerNameStore) -> None:
    first = _point(names, "xpl_1", None)
    assert first is not None
    second = _point(names, "xpl_2", first)

    assert _point(names, "xpl_1", first) is None
    assert _point(names, "xpl_1", None) is None
    assert not names.delete(first, None)
    assert names.get("credit-risk") == second
    assert len(names.history("credit-risk", 10, None).data) == 2


def test_every_change_is_written_down_and_outlives_the_name(names: ExplainerNameStore) -> None:
    first = _point(names, "xpl_1", None)
    assert first is not None
    second = names.point(Change("credit-risk", "xpl_2", forced=True), first, None)
    assert second is not None
    assert names.delete(second, "key_2")

    pages = [names.history("credit-risk", 2, None)]
    pages.append(names.history("credit-risk", 2, pages[0].next_cursor))

    changes = [change for page in pages for change in page.data]
    assert [(each.previous_explainer, each.explainer, each.key, each.forced) for each in changes] == [
        ("xpl_2", None, "key_2", False),
        ("xpl_1", "xpl_2", None, True),
        (None, "xpl_1", "key_1", False),
    ]
    assert [change.id for change in changes[1:]] == [second.last_change, first.last_change]
    assert pages[1].next_cursor is None
    with pytest.raises(NotFound, match="no explainer has the name 'credit-risk'"):
        names.get("credit-risk")
    again = _point(names, "xpl_1", None)
    assert again is not None
    assert again.last_change not in {first.last_change, second.last_change}  # an old tag does not fit the new name


def test_a_name_that_never_was_has_no_history(names: ExplainerNameStore) -> None:
    with pytest.raises(NotFound, match="no explainer has the name 'nobody'"):
        names.history("nobody", 10, None)


def test_an_explainer_that_is_not_there_gets_no_name(names: ExplainerNameStore) -> None:
    with pytest.raises(NotFound, match="'xpl_gone'"):
        _point(names, "xpl_gone", None)

    assert names.targets() == {}


def test_an_explainer_stays_as_long_as_a_name_means_it(names: ExplainerNameStore, shelf: Shelf) -> None:
    first = _point(names, "xpl_1", None)
    assert first is not None

    with pytest.raises(InUse, match="'xpl_1' is what the name 'credit-risk' means"):
        shelf.explainers.delete("xpl_1")
    _point(names, "xpl_2", first)
    shelf.explainers.delete("xpl_1")

    assert names.history("credit-risk", 1, None).data[0].previous_explainer == "xpl_1"
