"""Results as files of HTML: exports, and explanations where a caller accepts HTML."""

import re
from html import unescape

import pytest

from tests.support.api import Api, Registered

_HTML = "text/html"


def _is_a_file_that_runs_nothing(html: str) -> bool:
    return html.startswith("<!doctype html>") and "default-src 'none'" in unescape(html) and "<script" not in html


def test_prototypes_are_exported_as_a_file(api: Api, forest: Registered) -> None:
    answer = api.get(f"/v1/prototype-sets/{forest.prototype_set['id']}/export?format=html")
    assert answer.headers["content-type"].startswith(_HTML)
    assert _is_a_file_that_runs_nothing(answer.text)
    for prototype in forest.prototype_set["result"]["prototypes"]:
        assert f"row <bdi>{prototype['row_id']}</bdi>" in answer.text


@pytest.mark.parametrize(
    ("path", "request_", "shown"),
    [
        ("/v1/rule-sets", {"max_rules": 3}, "ls-rules"),
        ("/v1/approximation-trees", {"method": "cart", "max_depth": 2, "max_pseudo_samples": 1000}, "ls-tree"),
    ],
)
def test_rules_and_trees_are_exported_as_files(
    api: Api, forest: Registered, path: str, request_: dict[str, object], shown: str
) -> None:
    made = api.made(path, {"model": forest.model["id"], "dataset": forest.dataset["id"], **request_})
    answer = api.get(f"{path}/{made['id']}/export?format=html")
    assert answer.headers["content-type"].startswith(_HTML)
    assert _is_a_file_that_runs_nothing(answer.text)
    assert shown in answer.text


def test_explanations_come_as_a_file_where_html_is_accepted(api: Api, forest: Registered) -> None:
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    rows = {"instances": [forest.instance(0), forest.instance(1)], "row_ids": ["loan-1", "loan-2"]}
    whole, drawn = (api.http.post(path, json=rows, headers={"Accept": accept}) for accept in ("*/*", _HTML))
    assert whole.headers["content-type"] == "application/json"
    assert drawn.headers["content-type"].startswith(_HTML)
    assert _is_a_file_that_runs_nothing(drawn.text)
    texts = unescape(re.sub(r"<[^>]+>", "", drawn.text))
    for explained in whole.json()["data"]:
        assert explained["summary"] in texts


def test_what_is_too_much_for_a_file_is_refused(api: Api, forest: Registered) -> None:
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    rows = {"instances": [forest.instance(0)] * 51}
    answer = api.http.post(path, json=rows, headers={"Accept": _HTML})
    assert answer.json()["code"] == "too_many_rows"
    assert "50" in answer.json()["detail"]


def test_other_media_types_are_refused(api: Api, forest: Registered) -> None:
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    answer = api.http.post(
        path, json={"instances": [forest.instance(0)]}, headers={"Accept": "text/html;q=0, image/png"}
    )
    assert answer.status_code == 406
