"""The `type` of a problem leads to a page that says what it means and what to do."""

import re
from html import unescape

import httpx
import pytest

from schemas.problems import PROBLEM_KINDS, ProblemPage
from tests.support.api import Api

_BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


def test_the_type_of_a_problem_resolves(api: Api) -> None:
    problem = api.get("/v1/models/gone").json()

    page = api.get(problem["type"])

    assert page.status_code == 200
    assert ProblemPage.model_validate(page.json()) == ProblemPage.of("not_found")
    assert page.json()["status"] == problem["status"]
    assert page.json()["title"] == problem["title"]


def test_every_code_has_a_page_for_programs_and_one_for_people(api: Api) -> None:
    listed = api.get("/problems").json()["data"]

    assert [page["code"] for page in listed] == sorted(PROBLEM_KINDS)
    for page in listed:
        shown = api.get(page["type"], Accept=_BROWSER)
        text = unescape(shown.text)
        assert api.get(page["type"]).json() == page
        assert shown.headers["Content-Type"].startswith("text/html")
        assert page["code"] in text
        assert page["title"] in text


def test_pages_load_nothing_and_run_nothing(api: Api) -> None:
    pages = [api.get(path, Accept=_BROWSER) for path in ("/problems", "/problems/in_use")]

    for page in pages:
        assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert not re.search(r"<script|<link|<img|https?://(?!127)", page.text)


@pytest.mark.parametrize("code", ["nothing", "%3Cscript%3E", "..%2f..%2fetc"])
def test_there_is_no_page_of_another_code(api: Api, code: str) -> None:
    answer: httpx.Response = api.get(f"/problems/{code}", Accept=_BROWSER)

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"
