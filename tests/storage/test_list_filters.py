"""Lists under a filter: exactly the rows that have the value, newest first, page by page."""

import pytest

from schemas.api_keys import ApiKeyRequest
from storage.api_keys import ApiKeyStore
from tests.support.stored import Shelf, new_dataset, new_model

_NOUN = "prototype_sets"


def _fill(shelf: Shelf) -> None:
    """Ask for sets of two models in turn, whose jobs end in all ways: ready, failed, cancelled, still under way."""
    shelf.models.add(new_model("mdl_2"))
    shelf.datasets.add(new_dataset("ds_2"))
    for number in range(10):
        names = {"model": f"mdl_{1 + number % 2}", "evaluation_dataset": "ds_2" if number < 3 else None}
        artefact, _ = shelf.create(f"prs_{number}", request={"explainer": f"xpl_{number // 5}"}, **names)
        if number < 4:
            shelf.make(artefact)
        elif number < 7:
            shelf.jobs.request_cancel(artefact.job)
    shelf.create("rls_1", noun="rule_sets")


def _walk(shelf: Shelf, limit: int, **filters: str) -> list[str]:
    found: list[str] = []
    cursor = None
    while True:
        page = shelf.artefacts.list(_NOUN, limit, cursor, **filters)
        found += [artefact.id for artefact in page.data]
        assert page.next_cursor is None or len(page.data) == limit
        if (cursor := page.next_cursor) is None:
            return found


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "9876543210"),
        ({"model": "mdl_1"}, "86420"),
        ({"model": "mdl_2", "dataset": "ds_1"}, "97531"),
        ({"dataset": "ds_2"}, ""),
        ({"evaluation_dataset": "ds_2"}, "210"),
        ({"explainer": "xpl_1"}, "98765"),  # a field of the request alone
        ({"status": "ready"}, "3210"),
        ({"status": "cancelled"}, "654"),
        ({"status": "pending"}, "987"),
        ({"status": "failed"}, ""),
        ({"status": "pending", "model": "mdl_2"}, "97"),
        ({"model": "mdl_gone"}, ""),
        ({"model": "' OR 1=1 --"}, ""),
    ],
    ids=str,
)
@pytest.mark.sampled("thirds")
def test_artefacts_are_found_by_what_they_have(shelf: Shelf, filters: dict[str, str], expected: str) -> None:
    _fill(shelf)

    for limit in (1, 2, 100):
        assert _walk(shelf, limit, **filters) == [f"prs_{number}" for number in expected]


def test_a_status_is_found_as_it_is_shown(shelf: Shelf) -> None:
    _fill(shelf)
    everything = shelf.artefacts.list(_NOUN, 100, None).data

    for status in ("pending", "ready", "failed", "cancelled"):
        assert _walk(shelf, 3, status=status) == [each.id for each in everything if each.status == status]


def test_what_changes_its_status_meanwhile_does_not_shift_the_pages(shelf: Shelf) -> None:
    _fill(shelf)
    first = shelf.artefacts.list(_NOUN, 1, None, status="pending")
    shelf.jobs.request_cancel(first.data[0].job)

    rest = shelf.artefacts.list(_NOUN, 10, first.next_cursor, status="pending")

    assert [each.id for each in (*first.data, *rest.data)] == ["prs_9", "prs_8", "prs_7"]


def test_jobs_are_found_by_status_kind_and_artefact(shelf: Shelf) -> None:
    _fill(shelf)

    def found(**filters: str) -> list[str]:
        return [job.artefact for job in shelf.jobs.list(100, None, **filters).data]

    assert found(kind="rule_sets") == ["rls_1"]
    assert found(artefact="prs_4") == ["prs_4"]
    assert found(kind=_NOUN, status="queued") == ["prs_9", "prs_8", "prs_7"]
    assert found(status="running") == []


def test_names_are_found_whole_and_as_they_are_written(shelf: Shelf) -> None:
    for number, name in enumerate(["credit", "Credit", "credit, March", "100%", None]):
        shelf.models.add(new_model(f"mdl_n{number}", name=name))
        shelf.datasets.add(new_dataset(f"ds_n{number}", name=name))
    keys = ApiKeyStore(shelf.database)
    key = keys.add(ApiKeyRequest(name="credit", scopes=["read"]))
    shelf.create()
    shelf.explain("xpl_1")
    shelf.explainers.rename("xpl_1", "credit")

    assert [model.id for model in shelf.models.list(10, None, name="credit").data] == ["mdl_n0"]
    assert [model.id for model in shelf.models.list(10, None, name="100%").data] == ["mdl_n3"]
    assert shelf.models.list(10, None, name="%").data == []
    assert [dataset.id for dataset in shelf.datasets.list(10, None, name="Credit").data] == ["ds_n1"]
    assert [each.id for each in keys.list(10, None, name="credit").data] == [key.id]
    assert [each.id for each in shelf.explainers.list(10, None, name="credit", model="mdl_1").data] == ["xpl_1"]
    assert shelf.explainers.list(10, None, rule_set="rls_1").data == []


def test_what_jobs_are_made_from_is_read_by_field_and_named_where_it_has_a_name(shelf: Shelf) -> None:
    shelf.models.add(new_model("mdl_2"))
    shelf.models.rename("mdl_2", "v2")
    made, _ = shelf.create("prs_1", request={"model": "mdl_2", "dataset": None, "max_rules": 3})
    other, _ = shelf.create("prs_2", request={"explainer": "xpl_1"})

    found = shelf.jobs.made_from([made.job, other.job, "job_none"], ["model", "dataset", "explainer"])
    assert found == {made.job: {"model": "mdl_2"}, other.job: {"explainer": "xpl_1"}}
    assert shelf.models.names(["mdl_1", "mdl_2", "mdl_none"]) == {"mdl_1": None, "mdl_2": "v2"}
