"""API keys: recognised by their hashes, forgotten when revoked, last used to the minute."""

import hashlib
import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import insert, select

from schemas.api_keys import ApiKeyRequest
from schemas.key_texts import read_key
from storage.api_keys import MAX_KEYS, ApiKeyStore
from storage.database import Database
from storage.database_file import has_keys
from storage.errors import Conflict, NotFound
from storage.tables import api_keys

_REQUEST = ApiKeyRequest(name="scoring", scopes=["explain", "read"])


@pytest.fixture
def store(rows_database: Database) -> ApiKeyStore:
    return ApiKeyStore(rows_database)


def test_what_is_kept_of_a_key_is_its_hash(store: ApiKeyStore, rows_database: Database) -> None:
    made = store.add(_REQUEST)

    assert made.secret is not None
    _, name, secret = made.secret.split("_", 2)
    assert (made.id, len(secret)) == (f"key_{name}", 43)
    with rows_database.reading() as connection:
        row = dict(connection.execute(select(api_keys)).mappings().one())
    assert row["sha256"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in json.dumps(row)
    assert secret not in store.get(made.id).model_dump_json()


def test_a_key_is_recognised_by_what_it_says(store: ApiKeyStore) -> None:
    made = store.add(_REQUEST)
    shown = read_key(str(made.secret).encode())

    assert shown is not None
    known = store.known()[shown.id]
    assert known.digest == shown.digest
    assert known.scopes == frozenset({"read", "explain"})


def test_no_two_keys_are_alike(store: ApiKeyStore) -> None:
    made = [store.add(_REQUEST) for _ in range(20)]

    assert len({key.secret for key in made}) == len({key.id for key in made}) == 20
    assert [key.id for key in store.list(50, None).data] == [key.id for key in reversed(made)]


def test_a_revoked_key_is_gone(store: ApiKeyStore) -> None:
    kept, revoked = store.add(_REQUEST), store.add(_REQUEST)

    store.revoke(revoked.id)

    assert set(store.known()) == {kept.id}
    for look in (store.get, store.revoke):
        with pytest.raises(NotFound, match="api key"):
            look(revoked.id)


def test_a_use_is_written_down_at_most_once_a_minute(store: ApiKeyStore) -> None:
    key = store.add(_REQUEST)
    seen = []

    for at in (1000.0, 1030.0, 1059.0, 1060.0, 1031.0, 1119.0, 1121.0, 900.0):
        store.mark_used({key.id: at, "key_gone": at})
        used_at = store.get(key.id).last_used_at
        seen.append(None if used_at is None else used_at.timestamp())

    assert seen == [1000.0, 1000.0, 1000.0, 1060.0, 1060.0, 1060.0, 1121.0, 900.0]  # at last the clock was set back


def test_there_is_a_limit_of_keys(store: ApiKeyStore, rows_database: Database) -> None:
    row = {"name": "n", "scopes": [], "sha256": "0" * 64, "created_at": 0.0}
    with rows_database.transaction() as connection:
        connection.execute(insert(api_keys), [{"id": f"key_{number}", **row} for number in range(MAX_KEYS)])

    with pytest.raises(Conflict, match="1,000"):
        store.add(_REQUEST)


def test_without_a_library_for_databases_one_sees_whether_a_file_holds_a_key(tmp_path: Path) -> None:
    file = tmp_path / "rows.db"
    database = Database(f"sqlite:///{file}")
    found = [has_keys(file)]
    database.migrate()
    found.append(has_keys(file))
    key = ApiKeyStore(database).add(ApiKeyRequest(name="reader", scopes=["read"]))
    found.append(has_keys(file))
    ApiKeyStore(database).revoke(key.id)
    found.append(has_keys(file))
    database.close()
    file.write_bytes(b"no database" * 100)

    assert [*found, has_keys(file)] == [False, False, True, False, None]


def test_a_key_says_until_when_it_is_valid(store: ApiKeyStore) -> None:
    at = datetime.now(UTC) + timedelta(days=30)
    made, endless = store.add(_REQUEST.model_copy(update={"expires_at": at})), store.add(_REQUEST)

    assert made.expires_at is not None
    assert abs(made.expires_at - at) < timedelta(milliseconds=1)
    assert store.known()[made.id].expires_at == pytest.approx(at.timestamp())
    assert (endless.expires_at, store.known()[endless.id].expires_at) == (None, math.inf)


@pytest.mark.parametrize("expires_at", ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00", "tomorrow"])
def test_a_time_that_is_past_or_has_no_zone_is_refused(expires_at: str) -> None:
    with pytest.raises(ValidationError, match="expires_at"):
        ApiKeyRequest.model_validate({"name": "n", "scopes": ["read"], "expires_at": expires_at})
