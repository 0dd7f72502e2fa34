"""The store of dictionaries: words of a dataset by revision, with the bytes that they take."""

import pytest
from sqlalchemy import insert

from schemas.dictionaries import DictionaryRequest, FeatureWords
from storage.database import Database
from storage.datasets import DatasetStore
from storage.dictionaries import DictionaryStore
from storage.errors import NotFound
from storage.tables import datasets


def test_which_features_were_hidden_is_known_after_the_dataset(rows_database: Database) -> None:
    _add_dataset(rows_database)
    store = DictionaryStore(rows_database)
    ages = [DictionaryRequest(features=[FeatureWords(name="age", hidden=hidden)]) for hidden in (False, True)]
    shown = store.put(store.get("ds_1"), ages[0])
    assert shown is not None
    hidden = store.put(shown, ages[1])
    assert hidden is not None
    assert store.hidden_since("ds_1", shown.revision) == {"age"}
    assert store.hidden_since("ds_1", hidden.revision) == frozenset()
    again = store.put(hidden, ages[1])
    assert again is not None
    assert again.hidden_since == hidden.hidden_since

    DatasetStore(rows_database).delete("ds_1")
    assert store.hidden_since("ds_1", shown.revision) == {"age"}
    with pytest.raises(NotFound):
        store.get("ds_1")
    _add_dataset(rows_database)
    restored = store.put(store.get("ds_1"), ages[0])
    assert restored is not None
    assert restored.revision > again.revision
    assert store.hidden_since("ds_1", shown.revision) == frozenset()


def _add_dataset(database: Database) -> None:
    facts = {"id": "ds_1", "sha256": "a", "size_bytes": 1, "content": "b", "created_at": 1.0}
    with database.transaction() as connection:
        connection.execute(insert(datasets).values(**facts, summary={"columns": []}, metadata={}, listed={}))


def test_a_dictionary_is_put_once_for_each_revision_and_taken_away(rows_database: Database) -> None:
    _add_dataset(rows_database)
    store = DictionaryStore(rows_database)
    seen = store.get("ds_1")
    put = store.put(seen, DictionaryRequest(features=[FeatureWords(name="age", unit="years")]))
    assert (seen.revision, seen.words) == (0, None)
    assert put is not None
    assert store.get("ds_1") == put
    assert store.put(seen, None) is None
    assert store.revisions() == {"ds_1": put.revision}
    assert store.n_bytes("ds_1") > 0
