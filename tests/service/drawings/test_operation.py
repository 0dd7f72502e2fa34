"""The view of a service's operation: what it says to whom."""

import re

import pytest
from leafspace_drawings import Operation, draw_operation

from tests.support.api import Api

_PATH = "/page/parts/operation"
_KEY = {
    "id": "key_1",
    "name": "<nightly>",
    "scopes": ["read"],
    "created_at": "2026-01-01T00:00:00Z",
    "expires_at": "2026-02-01T00:00:00Z",
    "last_used_at": None,
}


def _operation(**changed: object) -> Operation:
    said = {
        "version": "1",
        "faults": (),
        "n_workers": 2,
        "n_jobs": {},
        "oldest_queued_seconds": 0.0,
        "failed": (),
        "free_bytes": 3 << 30,
        "disk_bytes": 1 << 40,
        "model_bytes": 1023,
        "dataset_bytes": 1536,
        "keys": (),
        "are_keys_required": True,
        "rules": None,
        "removed": {},
        "now": "2026-02-01T00:00:00Z",
    }
    return Operation(**{**said, **changed})  # type: ignore[arg-type]  # as named above


def test_it_names_what_is_not_available_and_that_no_worker_lives() -> None:
    drawn = draw_operation(_operation(faults=("redis", "disk"), n_workers=0))
    assert "Not available: redis, disk." in drawn
    assert "No worker lives" in drawn
    assert "A worker that lives would say it" in drawn
    assert all(text in drawn for text in ("3 GiB", "of 1 TiB", "2.5 KiB", "1,020 B and 1.5 KiB"))


@pytest.mark.parametrize(
    ("now", "says"), [("2026-02-01T00:00:00Z", "expired 2026-02-01"), ("2026-01-31T23:59:59Z", "2026-02-01")]
)
def test_a_key_says_whether_it_has_expired_and_its_name_is_text(now: str, says: str) -> None:
    drawn = draw_operation(_operation(keys=[_KEY], now=now))
    cell = re.search(r"<td[^>]*>([^<]*2026-02-01[^<]*)</td>", drawn)
    assert cell is not None
    assert cell[1].startswith(says)
    assert "&lt;nightly&gt;" in drawn


def test_rules_say_how_long_what_is_kept() -> None:
    rules = {"artefact_days": None, "job_days": 90, "leaf_table_bytes": 50 << 30}
    drawn = draw_operation(_operation(rules=rules, removed={"jobs": 1234}))
    assert all(text in drawn for text in ("for ever", "90 days", "50 GiB together", "1,234 jobs"))


def test_a_service_draws_its_own(api: Api) -> None:
    drawn = api.get(_PATH).text
    while "A worker that lives would say it" in drawn:  # its first heartbeat comes within seconds
        drawn = api.get(_PATH).text
    assert "This service requires no keys" in drawn
    assert "Database, queue, storage and disk are available." in drawn
    assert "stored explanations" in drawn
