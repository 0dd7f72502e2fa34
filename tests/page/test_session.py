"""What people do with the page: by keyboard alone, from a request to what was made, on paper, and when things fail."""

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.support.api import Api
from tests.support.browser import Watched
from tests.support.guarded import Guarded, serving_with_keys
from tests.support.patience import PATIENCE_SECONDS
from tests.support.serving import Service, serving
from tests.support.storage_servers import running_postgresql

from .conftest import Shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog


def test_a_session_by_keyboard_ends_with_a_stored_decision(tab: Watched, shown: Shown, api: Api) -> None:
    tab.open(shown.address(""), ".ls-overview")
    page = tab.page
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#help[open]", state="hidden")
    page.keyboard.press("/")
    page.keyboard.type(shown.explainer)
    page.keyboard.press("Enter")
    page.wait_for_selector(".ls-explainer")
    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_selector(".ls-jobs")
    page.keyboard.press("/")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(shown.registered.model["id"])
    page.keyboard.press("Enter")
    page.wait_for_selector(".ls-model")
    _tab_to(tab, "nearest of")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ls-set")
    tab.open(shown.address(f"reviews/{shown.audit['id']}"), ".ls-review")
    page.keyboard.press("u")
    page.wait_for_selector("#said >> text=unsure")
    decided = api.get(f"/v1/label-audits/{shown.audit['id']}/decisions").json()["data"]
    assert "unsure" in {each["decision"] for each in decided}


def _tab_to(tab: Watched, text: str) -> None:
    """Press Tab until a link that says this has the focus."""
    link = tab.page.locator("a:focus")
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        if link.count() and text in link.inner_text():
            return
    pytest.fail(f"no Tab leads to {text!r}")


def test_what_is_requested_from_the_page_is_followed_to_its_end(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"models/{shown.registered.model['id']}"), ".ls-model")
    field = tab.page.locator('[data-field="n_prototypes"]')
    field.fill("9")
    field.press("Enter")
    tab.page.wait_for_selector(".ls-set")
    assert "9 rows" in tab.page.locator("h1").inner_text()


@pytest.mark.long
def test_the_first_prototypes_can_be_looked_at_and_the_rows_of_each(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"prototypes/{shown.registered.prototype_set['id']}"), ".ls-set")
    tab.page.locator("#ls-k").fill("3")
    tab.page.wait_for_selector("h1 >> text=3 rows")
    assert tab.page.url.endswith("?k=3")
    assert tab.page.locator(".ls-prototype").count() == 3
    tab.page.locator('.ls-prototype a[href*="represented"]').first.click()
    tab.page.wait_for_selector(".ls-represented")
    prototypes = shown.registered.prototype_set["result"]["prototypes"]
    shown_first = prototypes[int(tab.page.url.rpartition("/")[2]) - 1]
    assert f"{shown_first['coverage']['n_rows']:,} row" in tab.page.locator(".ls-lead").inner_text()


@pytest.mark.long
def test_the_same_is_copied_as_a_call_that_works(browser: "Browser", shown: Shown) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = Watched(context.new_page())
    tab.open(shown.address(f"datasets/{shown.registered.dataset['id']}"), ".ls-dataset")
    tab.page.click("text=Copy as curl")
    tab.page.wait_for_selector("[data-done]")
    line = tab.page.evaluate("navigator.clipboard.readText()")
    assert line == f"curl {shown.url}/v1/datasets/{shown.registered.dataset['id']}"
    with tab.page.expect_download() as download:
        tab.page.click('[data-action="json"]')
    assert download.value.suggested_filename.endswith(".json")
    tab.open(shown.address(f"rules/{shown.rule_set['id']}"), ".ls-rules")
    with tab.page.expect_download() as download:
        tab.page.click("text=SQL")
    assert download.value.suggested_filename == f"rule-sets {shown.rule_set['id']}.sql"
    assert "CASE" in download.value.path().read_text(encoding="utf-8")
    tab.close()
    context.close()


@pytest.mark.parametrize(("scale", "n_pages"), [pytest.param(0.7, 1, marks=pytest.mark.long), (1, 2)])
def test_an_explanation_of_thirty_features_fits_on_two_pages_of_paper(
    tab: Watched, shown: Shown, scale: float, n_pages: int
) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    printed = tab.page.pdf(format="A4", scale=scale)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == n_pages


def test_a_service_that_goes_away_is_tried_again(browser: "Browser", shown: Shown) -> None:
    context = browser.new_context()
    tab = Watched(context.new_page(), ("ERR_INTERNET_DISCONNECTED",))
    tab.open(shown.address(""), ".ls-overview")
    context.set_offline(True)
    tab.page.keyboard.press("g")
    tab.page.keyboard.press("j")
    tab.page.wait_for_selector("text=The service does not answer")
    tab.page.wait_for_selector("text=Trying again")
    context.set_offline(False)
    tab.page.wait_for_selector(".ls-jobs")
    tab.close()
    context.close()


@pytest.mark.long
def test_while_the_database_is_locked_a_decision_is_refused_and_can_be_made_later(
    browser: "Browser", shown: Shown, api: Api, service: Service
) -> None:
    tab = Watched(browser.new_page(), ("503",))
    tab.open(shown.address(f"reviews/{shown.audit['id']}?row=0"), '.ls-review[data-row="0"]')
    decisions = f"/v1/label-audits/{shown.audit['id']}/decisions?row=0"
    n_before = len(api.get(decisions).json()["data"])
    with sqlite3.connect(service.data_dir / "leafspace.db", isolation_level=None) as locking:
        locking.execute("BEGIN IMMEDIATE")
        tab.page.keyboard.press("k")
        tab.page.wait_for_selector("[data-refusal] >> text=send this one again")
        locking.execute("ROLLBACK")
    assert len(api.get(decisions).json()["data"]) == n_before
    tab.page.keyboard.press("k")
    tab.page.wait_for_selector("#said >> text=Row 0: keep")
    assert len(api.get(decisions).json()["data"]) == n_before + 1
    tab.close()


@pytest.mark.long
def test_while_the_database_is_away_views_count_down_and_come_back_with_it(browser: "Browser", tmp_path: Path) -> None:
    tab = Watched(browser.new_page(), ("503",))
    with (
        running_postgresql() as postgresql,
        serving(tmp_path / "data", "--no-worker", LEAFSPACE_DATABASE_URL=postgresql.url) as service,
    ):
        tab.open(f"{service.url}/ui/", ".ls-overview")
        postgresql.stop()
        tab.page.keyboard.press("g")
        tab.page.keyboard.press("j")
        tab.page.wait_for_selector('[role="alert"] >> text=Trying again')
        assert re.search(r"code unavailable · request \w+", tab.page.locator("main").inner_text())
        postgresql.start()
        tab.page.wait_for_selector(".ls-jobs")
        tab.page.goto("about:blank")  # which ends its stream of jobs
    tab.close()


def test_what_was_cancelled_says_so(browser: "Browser", shown: Shown, api: Api) -> None:
    about = {"model": shown.registered.model["id"], "dataset": shown.registered.dataset["id"]}
    made = api.post("/v1/approximation-trees", {**about, "max_pseudo_samples": 1_000_000, "seed": 77}).json()
    tab = Watched(browser.new_page(), ("409",))
    asked: list[str] = []
    answers = iter((False, True))  # whoever does not confirm, cancels nothing

    def answer(dialog: "Dialog") -> None:
        asked.append(dialog.message)
        (dialog.accept if next(answers) else dialog.dismiss)()

    tab.page.on("dialog", answer)
    tab.open(shown.address("jobs"), ".ls-jobs")
    button = tab.page.locator(f'[data-path="/v1/jobs/{made["job"]}/cancel"]')
    button.press("Enter")
    assert api.get(f"/v1/jobs/{made['job']}").json()["status"] in {"queued", "running"}
    button.press("Enter")
    assert api.wait(made["job"])["status"] == "cancelled"
    button.wait_for(state="detached")
    assert asked == [f"Cancel this job: tree of {shown.registered.model['name'] or shown.registered.model['id']}?"] * 2
    tab.open(shown.address(f"trees/{made['id']}"), ".ls-pending")
    assert "was cancelled" in tab.page.locator("h1").inner_text()
    tab.open(shown.address(f"questions/{made['id']}"), '[role="alert"]')
    assert re.search(r"code \w+ · request \w+", tab.page.locator("main").inner_text())
    tab.close()


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    # The page's own files count, too.
    limits = {"LEAFSPACE_REQUESTS_PER_SECOND": "1", "LEAFSPACE_REQUESTS_BURST": "40"}
    with serving_with_keys(tmp_path_factory.mktemp("hurried") / "data", **limits) as found:
        yield found


@contextmanager
def _more_calls_than_allowed(hurried: Guarded) -> Iterator[None]:
    """Call with the same key all the time, from the first refusal on."""
    refused, over = threading.Event(), threading.Event()

    def call() -> None:
        while not over.is_set():
            if hurried.call("GET", "/v1/models", hurried.keys["read"]).status_code == httpx.codes.TOO_MANY_REQUESTS:
                refused.set()

    calling = threading.Thread(target=call)
    calling.start()
    try:
        assert refused.wait(PATIENCE_SECONDS)
        yield
    finally:
        over.set()
        calling.join()


@pytest.mark.long
def test_those_who_come_too_often_are_told_when_to_come_back(browser: "Browser", hurried: Guarded) -> None:
    tab = Watched(browser.new_page(), ("401", "429"))
    tab.open(f"{hurried.url}/ui/#/found?name=x", "dialog[open]")
    tab.page.fill("#key", hurried.keys["read"])
    tab.page.press("#key", "Enter")
    tab.page.wait_for_selector(".ls-found")
    with _more_calls_than_allowed(hurried):
        for wanted in map("another {}".format, count()):  # one may come just when one more is allowed
            tab.page.fill("#find", wanted)
            tab.page.press("#find", "Enter")
            refused = tab.page.locator("main", has_text="rate_limited")
            refused.or_(tab.page.locator("main", has_text=wanted)).wait_for()
            if refused.count():
                break
    tab.page.wait_for_selector("text=Trying again")
    tab.page.wait_for_selector(f"h1 >> text={wanted}")
    tab.close()
