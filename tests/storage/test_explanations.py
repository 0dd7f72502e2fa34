"""Stored explanations: kept whole, listed, forgotten one by one or by row; on SQLite and PostgreSQL."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import IntegrityError

from storage.database import Database
from storage.errors import NotFound
from storage.explanations import ExplanationStore, draw_explanation_id
from tests.support.stored import kept_explanation


@pytest.fixture
def store(rows_database: Database) -> ExplanationStore:
    return ExplanationStore(rows_database)


def _listed(store: ExplanationStore, **filters: str) -> list[str]:
    return [each.id for each in store.list(1000, None, **filters).data]


def test_what_was_kept_is_read_and_forgotten(store: ExplanationStore) -> None:
    kept = kept_explanation("xpn_1", response='{"text": "größer \\u0041 🌲"}', explainer_name="credit-risk")
    store.add([kept, kept_explanation("xpn_2")])

    assert store.get("xpn_1") == kept
    assert store.n_bytes("xpn_1") == kept.n_bytes
    assert not store.get("xpn_1").digest_matches  # its response is not that of the digest
    assert store.get("xpn_2").digest_matches
    store.delete("xpn_1")
    for look in (store.get, store.n_bytes, store.delete):
        with pytest.raises(NotFound, match="no explanation has the id 'xpn_1'"):
            look("xpn_1")
    assert _listed(store) == ["xpn_2"]


def test_they_are_listed_by_explainer_row_and_time(store: ExplanationStore) -> None:
    store.add([kept_explanation(f"xpn_{at}", at % 3, created_at=float(at)) for at in range(9)])
    store.add([kept_explanation("xpn_other", 1, explainer="xpl_2", created_at=20.0)])
    when = [datetime.fromtimestamp(at, UTC).isoformat() for at in (3, 6)]

    assert _listed(store, row_id="1") == ["xpn_other", "xpn_7", "xpn_4", "xpn_1"]
    assert _listed(store, row_id="1", explainer="xpl_1") == ["xpn_7", "xpn_4", "xpn_1"]
    assert _listed(store, created_from=when[0], created_before=when[1]) == ["xpn_5", "xpn_4", "xpn_3"]
    first = store.list(2, None, row_id="1")
    assert [each.key for each in first.data] == ["key_1"] * 2
    assert [each.id for each in store.list(2, first.next_cursor, row_id="1").data] == ["xpn_4", "xpn_1"]


def test_all_of_a_row_by_an_explainer_are_forgotten_however_many(store: ExplanationStore) -> None:
    store.add([kept_explanation(f"xpn_a{number}", 7) for number in range(430)])
    store.add([kept_explanation("xpn_row", 8), kept_explanation("xpn_explainer", 7, explainer="xpl_2")])

    assert store.delete_row("xpl_1", "7") == 430
    assert store.delete_row("xpl_1", "7") == 0
    assert set(_listed(store)) == {"xpn_row", "xpn_explainer"}


def test_of_a_batch_all_are_kept_or_none(store: ExplanationStore) -> None:
    store.add([kept_explanation("xpn_1")])

    with pytest.raises(IntegrityError):
        store.add([kept_explanation("xpn_2"), kept_explanation("xpn_1")])

    assert _listed(store) == ["xpn_1"]


def test_ids_are_drawn() -> None:
    assert len({draw_explanation_id() for _ in range(1000)}) == 1000
