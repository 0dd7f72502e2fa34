"""The store of dictionaries: words of a dataset by revision, with the bytes that they take."""

from sqlalchemy import insert

from schemas.dictionaries import DictionaryRequest, FeatureWords
from storage.database import Database
from storage.dictionaries import DictionaryStore
from storage.tables import datasets


def test_a_dictionary_is_put_once_for_each_revision_and_taken_away(rows_database: Database) -> None:
    facts = {"id": "ds_1", "sha256": "a", "size_bytes": 1, "content": "b", "created_at": 1.0}
    with rows_database.transaction() as connection:
        connection.execute(insert(datasets).values(**facts, summary={}, metadata={}, listed={}))

    store = DictionaryStore(rows_database)
    seen = store.get("ds_1")
    put = store.put(seen, DictionaryRequest(features=[FeatureWords(name="age", unit="years")]))
    assert (seen.revision, seen.words) == (0, None)
    assert put is not None
    assert store.get("ds_1") == put
    assert store.put(seen, None) is None
    assert store.revisions() == {"ds_1": put.revision}
    assert store.n_bytes("ds_1") > 0
