"""Rows that a report explains: of the reference data, of another dataset, or sent along by their values."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import select

from explanations.explained_rows import explain_instances
from schemas.dictionaries import DictionaryRequest
from schemas.explanations import ExplanationRequest
from schemas.reports import MAX_INSTANCES_BYTES, REPORTS, ReportRequest
from service.operations import artefacts
from service.operations.datasets import delete_dataset
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition
from service.operations.reports import request_report
from storage.errors import InUse, StorageError
from storage.tables import jobs
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.report_shop import Shop, shop_in, text_of
from tests.support.workshop import result_of, workshop_in


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop_in(tmp_path_factory.mktemp("reports")) as opened:
        yield opened


def test_rows_that_are_in_no_dataset_are_explained_by_their_values(shop: Shop) -> None:
    row = shop.newer_rows.iloc[0].to_dict()
    made = shop.make(instances=[row, list(row.values())], instance_ids=["Applicant, 4711", "the same"], parts=[])
    result = result_of(made)
    assert [part.name for part in result.parts] == ["request", "summary", "rows", "methods", "limits", "manifest"]
    assert made.request.instances == [row, row]  # by feature, so that the same rows make the same report
    text = text_of(shop.file(made))
    warm = shop.warm()
    for name in ("Applicant, 4711", "the same"):
        request = ExplanationRequest(instances=[row], row_ids=[name], detail="full")
        (answer,) = json.loads(orjson.dumps(explain_instances(warm, request)))
        assert f"Why is the new row {name} predicted as" in text
        assert f"New row “{name}”: {answer['summary']}" in result.summary
    assert text.count("This row came by its values, with the request of this report") == 2
    assert "2 rows came by their values with the request of this report, and not from the reference data." in text
    digest = hashlib.sha256(orjson.dumps(row, option=orjson.OPT_SORT_KEYS)).hexdigest()
    sent = [(each.id, each.sha256) for each in result.inputs if each.noun == "instances"]
    assert sent == [("Applicant, 4711", digest), ("the same", digest)]
    assert text.count(digest) == 2
    assert shop.verify(made).status == "same"


def test_what_the_model_does_not_read_is_not_kept_of_a_row_and_rows_are_counted_from_one(shop: Shop) -> None:
    row = shop.newer_rows.iloc[0].to_dict()
    made = shop.make(instances=[{**row, "name of the applicant": "A. Person"}])
    assert made.request.instances == [row]
    assert "the new row 1" in text_of(shop.file(made))
    assert shop.make(instances=[list(row.values())], instance_ids=None).id == made.id


def test_values_of_hidden_features_are_in_no_answer_and_those_of_a_deleted_report_are_kept_nowhere(shop: Shop) -> None:
    context, row = shop.workshop.context, shop.newer_rows.iloc[1].to_dict()
    made = shop.make(instances=[row], title="hidden later")
    words = {"features": [{"name": "f0", "hidden": True}]}
    put_dictionary(context, shop.dataset, DictionaryRequest.model_validate(words), Precondition())
    try:
        (shown,) = artefacts.get_one(context, REPORTS, made.id).request.instances or []
        (listed,) = artefacts.list_all(context, REPORTS, 1, None).data
        again = shop.make(instances=[row], title="hidden before")
        digests = [each.sha256 for each in result_of(again).inputs if each.noun == "instances"]
    finally:
        put_dictionary(context, shop.dataset, DictionaryRequest(), Precondition())
    without = {name: value for name, value in row.items() if name != "f0"}
    assert shown == without
    assert listed.request.instances == [without]
    assert digests == [hashlib.sha256(orjson.dumps(without, option=orjson.OPT_SORT_KEYS)).hexdigest()]
    artefacts.delete_one(context, REPORTS, made.id)
    with context.database.reading() as connection:
        kept = connection.execute(select(jobs.c.request).where(jobs.c.artefact == made.id)).scalars().all()
    assert kept
    assert all("instances" not in request for request in kept)


def test_a_row_of_another_dataset_is_filed_with_the_name_of_that(shop: Shop) -> None:
    later = frame_of(fitted("random_forest_binary")).iloc[300:310]
    rows = shop.workshop.register_dataset(later, target="t", name="later tumours of all")
    made = shop.make(rows=["2"], rows_dataset=rows, parts=["prototypes"])
    result = result_of(made)
    assert "Rows are of “later tumours of all”, and not of the reference data." in result.summary
    assert (rows, "datasets") in {(each.id, each.noun) for each in result.inputs}
    text = text_of(shop.file(made))
    assert "This row is of “later tumours of all”, and not of the reference data." in text
    assert "In the data:" in text
    assert [part.name for part in result.parts].index("prototypes") == 2
    with pytest.raises(InUse):
        delete_dataset(shop.workshop.context, rows)
    of_reference = shop.make(rows=["2"], rows_dataset=shop.dataset)
    assert of_reference.request.rows_dataset is None
    assert of_reference.id == shop.make(rows=["2"]).id


def test_all_parts_are_none_left_out_and_one_that_is_named_is_shown(shop: Shop) -> None:
    every = ["model", "evaluation", "prototypes", "rules", "tree"]
    assert shop.make(parts=every[::-1]).id == shop.make().id
    rules = shop.workshop.context.explainers.get(shop.explainer).rule_set
    named = result_of(shop.make(rows=["3"], parts=[], rule_set=rules, evaluation=shop.evaluation))
    assert [part.name for part in named.parts][2:5] == ["evaluation", "rules", "rows"]
    few = shop.make(rows=["3"], parts=[])
    text = text_of(shop.file(few))
    assert "Rules were found by" not in text
    assert "Row “3”: " in text.partition("Methods")[0]
    assert shop.verify(few).status == "same"


def _refused(shop: Shop) -> dict[str, tuple[dict[str, Any], str, str, str]]:
    """Return requests that are refused, with the code, the place and words of each refusal."""
    row = shop.newer_rows.iloc[0].to_dict()
    misspelt = {("f_0" if name == "f0" else name): value for name, value in row.items()}
    return {
        "a name is misspelt": ({"instances": [row, misspelt]}, "schema_mismatch", "/instances/1", "'f_0'"),
        "no number": ({"instances": [{**row, "f0": "much"}]}, "bad_feature_type", "/instances/0", "'f0'"),
        "too many": (
            {"instances": [row] * 19, "rows": ["1", "2"]},
            "validation_failed",
            "/instances",
            "21 rows, at most 20",
        ),
        "names for others": (
            {"instances": [row], "instance_ids": ["a", "b"]},
            "validation_failed",
            "/instance_ids",
            "2 instance_ids for 1",
        ),
        "the same name": (
            {"instances": [row, row], "instance_ids": ["a", "a"]},
            "validation_failed",
            "/instance_ids/1",
            "the same id 'a'",
        ),
        "names for none": ({"instance_ids": ["a"]}, "validation_failed", "/instance_ids", "for 0 instances"),
        "a dataset for none": ({"rows_dataset": shop.newer}, "validation_failed", "/rows_dataset", "name some"),
        "no such dataset": ({"rows_dataset": "ds_no", "rows": ["1"]}, "not_found", "", "ds_no"),
    }


def test_rows_that_cannot_be_explained_are_refused_before_a_job_is_made(shop: Shop) -> None:
    for name, (request, code, pointer, words) in _refused(shop).items():
        with pytest.raises(StorageError) as refusal:
            shop.make(**request)
        assert (refusal.value.code, refusal.value.pointer or "") == (code, pointer), name
        assert words in refusal.value.detail, name


def test_the_values_that_are_kept_are_bounded(tmp_path: Path) -> None:
    names = [f"{number:0100}" for number in range(30)]
    forest = fitted("random_forest_binary")
    frame = frame_of(forest).rename(columns=dict(zip(forest.rows.names, names, strict=True)))
    with workshop_in(tmp_path) as workshop:
        dataset = workshop.register_dataset(frame, target="t")
        model = workshop.register_model(forest.onnx, feature_names=names)
        explainer = workshop.register_explainer(
            model=model, prototype_set=workshop.make(model=model, dataset=dataset, n_prototypes=2).id
        )
        row = frame.iloc[0, :30].to_list()
        n_bytes = len(orjson.dumps(dict(zip(names, row, strict=True)))) + 1
        most = (MAX_INSTANCES_BYTES - 1) // n_bytes
        assert most < 20
        for n_rows, is_kept in ((most, True), (most + 1, False)):
            request = ReportRequest(title="many", explainer=explainer, instances=[row] * n_rows)
            if is_kept:
                assert request_report(workshop.context, request).status == "pending"
            else:
                with pytest.raises(StorageError, match="at most 65,536 are kept"):
                    request_report(workshop.context, request)
