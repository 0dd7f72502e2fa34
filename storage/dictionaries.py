"""Dictionaries of datasets: one row for each dataset that has, or had, one; its revision grows with each change."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import select, update

from schemas.dictionaries import DictionaryRequest

from .database import Database
from .records import add_record, existing_record, find_record
from .tables import datasets, dictionaries

_TICKS = 1_000_000  # of revisions in a second: a dataset that was deleted and registered again has a greater one


@dataclass(frozen=True, slots=True)
class StoredDictionary:
    """The words for a dataset, at one of their revisions."""

    dataset: str
    revision: int  # 0: there never were any
    words: Mapping[str, Any] | None  # None: there are none
    hidden_since: Mapping[str, int] = field(default_factory=dict)  # by hidden feature, the revision that hid it
    caller: str | None = None  # id of the API key that saved them; None: none was required, or it is not known

    @property
    def saved(self) -> datetime:
        """When these words were saved: what a revision counts from."""
        return datetime.fromtimestamp(self.revision / _TICKS, UTC)

    @property
    def hidden(self) -> frozenset[str]:
        """Features of which nothing is shown."""
        features = () if self.words is None else self.words.get("features", ())
        return frozenset(feature["name"] for feature in features if feature.get("hidden"))


class DictionaryStore:
    """Rows of dictionaries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, dataset: str) -> StoredDictionary:
        """Return the words for a dataset; raise ``NotFound`` where there is no such dataset."""
        with self._database.reading() as connection:
            row = find_record(connection, dictionaries, dataset)
            if row is None or row["words"] is None:
                existing_record(connection, datasets, dataset)
        if row is None:
            return StoredDictionary(dataset, 0, None)
        return StoredDictionary(row["id"], row["revision"], row["words"], row["hidden_since"], row["caller"])

    def hidden_since(self, dataset: str, revision: int) -> frozenset[str]:
        """Return the features that were hidden after a revision and still are, even of a dataset that was deleted."""
        with self._database.reading() as connection:
            row = find_record(connection, dictionaries, dataset)
        since = {} if row is None else row["hidden_since"]
        return frozenset(name for name, hiding in since.items() if hiding > revision)

    def n_bytes(self, dataset: str) -> int:
        """Return how long the words are as JSON, without reading them; 0 where there are none."""
        with self._database.reading() as connection:
            query = select(dictionaries.c.n_bytes).where(dictionaries.c.id == dataset)
            return connection.execute(query).scalar() or 0

    def revisions(self) -> dict[str, int]:
        """Return the revision of each dictionary, by dataset."""
        with self._database.reading() as connection:
            rows = connection.execute(select(dictionaries.c.id, dictionaries.c.revision)).all()
        return {row.id: row.revision for row in rows}

    def put(
        self, seen: StoredDictionary, request: DictionaryRequest | None, caller: str | None = None
    ) -> StoredDictionary | None:
        """Replace the words that were seen, or delete them where ``request`` is none; ``caller`` is the key's id.

        Returns
        -------
        StoredDictionary or None
            The new state; none if it is another one than was seen by now, and nothing was changed.

        Raises
        ------
        NotFound
            If there is no such dataset.
        """
        words = None if request is None else request.model_dump(mode="json", exclude_defaults=True)
        revision = max(seen.revision + 1, int(time.time() * _TICKS))
        hidden = [] if request is None else [feature.name for feature in request.features if feature.hidden]
        hidden_since = {name: seen.hidden_since.get(name, revision) for name in hidden}
        values = {
            "revision": revision,
            "words": words,
            "hidden_since": hidden_since,
            "caller": caller,
            "n_bytes": 0 if words is None else len(orjson.dumps(words)),
        }
        is_seen = (dictionaries.c.id == seen.dataset) & (dictionaries.c.revision == seen.revision)
        with self._database.transaction() as connection:
            existing_record(connection, datasets, seen.dataset)
            if connection.execute(update(dictionaries).where(is_seen).values(**values)).rowcount == 0:
                is_first = seen.revision == 0
                if not (is_first and add_record(connection, dictionaries, {"id": seen.dataset, **values})):
                    return None
        return StoredDictionary(seen.dataset, revision, words, hidden_since, caller)
