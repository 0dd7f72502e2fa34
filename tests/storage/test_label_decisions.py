"""Decisions on labels: entries are appended in their order, whatever the clock says, and protect their audit."""

import time

import pytest

from schemas.label_decisions import LabelDecision
from storage import label_decisions
from storage.database import Database
from storage.errors import Conflict, InUse, NotFound
from storage.label_decisions import LabelDecisionStore, NewDecision
from tests.support.stored import Shelf


@pytest.fixture
def decisions(shelf: Shelf, rows_database: Database) -> LabelDecisionStore:
    """Return a store beside which there is an audit ``lba_1``."""
    shelf.make(shelf.create("lba_1", noun="label_audits")[0])
    return LabelDecisionStore(rows_database)


def _new(row: int, decision: str, **changes: object) -> NewDecision:
    values = {
        "label_audit": "lba_1", "row": row, "row_id": str(row), "decision": decision, "label": "no",
        "new_label": "yes" if decision == "accept" else "no", "is_suggested": True, "note": None, "caller": "key_1",
    }  # fmt: skip
    return NewDecision(**{**values, **changes})  # type: ignore[arg-type]  # as the test says


def _add(decisions: LabelDecisionStore, row: int, decision: str, seen: LabelDecision | None = None) -> LabelDecision:
    added = decisions.add(_new(row, decision), seen)
    assert added is not None
    return added


def test_the_newest_entry_of_a_row_is_in_force_unless_it_withdraws(decisions: LabelDecisionStore) -> None:
    first = _add(decisions, 3, "accept")
    second = _add(decisions, 3, "unsure", first)
    other = _add(decisions, 4, "accept")
    gone = _add(decisions, 5, "withdrawn", _add(decisions, 5, "keep"))

    assert (first.replaces, second.replaces, decisions.find("lba_1", 3)) == (None, first.id, second)
    assert decisions.in_force("lba_1") == {3: second, 4: other}
    assert decisions.find("lba_1", 5) == gone
    assert [each.decision for each in decisions.list("lba_1", 10, None, row=3).data] == ["unsure", "accept"]
    assert len(decisions.list("lba_1", 10, None).data) == 5
    assert decisions.list("lba_1", 10, None, latest=True).data == [other, second]
    counts = decisions.counts("lba_1", 9)
    assert (counts.n_suggested, counts.n_suggested_decided, counts.n_decided) == (9, 2, 2)
    assert (counts.n_accepted, counts.n_kept, counts.n_relabelled, counts.n_unsure) == (1, 0, 0, 1)
    assert decisions.in_force("lba_2") == {}


def test_an_entry_against_another_state_is_not_written(decisions: LabelDecisionStore) -> None:
    first = _add(decisions, 3, "accept")
    second = _add(decisions, 3, "keep", first)

    assert decisions.add(_new(3, "unsure"), first) is None
    assert decisions.add(_new(3, "unsure"), None) is None
    assert decisions.find("lba_1", 3) == second


def test_entries_keep_their_order_where_the_clock_is_set_back(
    decisions: LabelDecisionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _add(decisions, 3, "accept")
    monkeypatch.setattr(time, "time", lambda: 1.0)
    second = _add(decisions, 3, "keep", first)

    assert decisions.list("lba_1", 10, None).data == [second, first.model_copy(update={"is_latest": False})]


def test_an_audit_has_so_many_entries_and_no_more(
    decisions: LabelDecisionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_decisions, "MAX_ENTRIES", 1)
    _add(decisions, 3, "accept")

    with pytest.raises(Conflict, match="the most there can be"):
        decisions.add(_new(4, "keep"), None)
    with pytest.raises(NotFound):
        decisions.add(_new(4, "keep", label_audit="lba_2"), None)


def test_a_decided_audit_goes_only_with_its_decisions(shelf: Shelf, decisions: LabelDecisionStore) -> None:
    _add(decisions, 3, "accept")

    with pytest.raises(InUse, match="with_decisions"):
        shelf.artefacts.delete("label_audits", "lba_1")
    shelf.artefacts.delete("label_audits", "lba_1", with_decisions=True)

    assert decisions.in_force("lba_1") == {}
