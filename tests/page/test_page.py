"""The page in a real browser: every view in a fresh tab, what moves in it, and nothing in the console."""

import json
import re
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING

import httpx
import pytest
from leafspace_drawings.words import number, share

from tests.support.api import Api, Json, Registered, csv_of, frame_of
from tests.support.browser import Watched
from tests.support.patience import PATIENCE_SECONDS
from tests.support.raw_http import NO_TLS
from tests.support.sampling import mostly_long

from .conftest import Shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Locator

_PHONE_WIDTH, _PHONE_HEIGHT = 390, 844
_MOST_SCRIPT, _MOST_STYLE = 48_000, 30_000


@pytest.mark.long
def test_every_address_opens_in_a_fresh_tab(browser: "Browser", shown: Shown) -> None:
    for view, selector in shown.views().items():
        tab = Watched(browser.new_page())
        tab.open(shown.address(view), selector)
        assert tab.page.locator("h1").count() == 1
        assert tab.page.title().endswith("· Leafspace")
        tab.close()


def test_the_root_leads_to_the_page_by_a_relative_address(shown: Shown) -> None:
    for path, target in (("/", "ui/"), ("/ui", "./ui/")):
        answer = httpx.get(f"{shown.url}{path}", verify=NO_TLS)
        assert (answer.status_code, answer.headers["Location"]) == (307, target)


def test_the_page_allows_its_own_files_alone_and_is_small(shown: Shown) -> None:
    answer = httpx.get(f"{shown.url}/ui/", verify=NO_TLS)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    sizes = {name: len(httpx.get(f"{shown.url}/ui/{name}", verify=NO_TLS).content) for name in _FILES}
    assert sum(size for name, size in sizes.items() if name.endswith(".js")) <= _MOST_SCRIPT
    assert sizes["leafspace.css"] + sizes["page.css"] <= _MOST_STYLE
    tag = httpx.get(f"{shown.url}/ui/shell.js", verify=NO_TLS).headers["ETag"]
    assert tag.endswith('-gzip"')
    for known in (tag, tag.replace("-gzip", "")):
        assert httpx.get(f"{shown.url}/ui/shell.js", headers={"If-None-Match": known}, verify=NO_TLS).status_code == 304
    assert httpx.get(f"{shown.url}/ui/../main.py", verify=NO_TLS).status_code == 404


_OWN = (file.name for file in files("service.page").iterdir() if file.name.endswith((".js", ".css")))
_FILES = ("leafspace.css", *_OWN)


def test_a_changed_value_is_explained_beside_what_was_and_undone(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    names = _fields(tab)
    name, before = names[1], _field(tab, names[1]).input_value()
    scores = _answer(shown)["prediction"]["scores"]
    _field(tab, name).fill("123456")
    _field(tab, name).press("Enter")
    tab.page.wait_for_selector(".ls-changed")

    assert "set." in tab.page.url
    assert name in tab.page.locator(".ls-changed").inner_text()
    assert _field(tab, name).input_value() == "123,456"
    assert _fields(tab)[: len(names)] == names
    verdict = tab.page.locator(".ls-three > div").first.inner_text()
    assert f"In the data, before the change: {_label(shown)}" in " ".join(verdict.split())
    legend = tab.page.locator(".ls-three .ls-legend").inner_text()
    assert all(f"{share(score['value'])} →" in legend for score in scores if score["value"] > 0)

    tab.page.click('[data-action="undo"]')
    tab.page.wait_for_selector(".ls-changed", state="detached")
    assert _field(tab, name).input_value() == before
    tab.page.go_back()
    tab.page.wait_for_selector(".ls-changed")


@pytest.mark.long
def test_a_folded_field_that_is_changed_stays_in_sight(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    folded = tab.page.locator(".ls-more [data-feature]").last.get_attribute("data-feature") or ""
    tab.page.click(".ls-more > summary")
    _field(tab, folded).fill("-5")
    _field(tab, folded).press("Enter")
    tab.page.wait_for_selector(".ls-changed")

    assert _field(tab, folded).is_visible()
    assert tab.page.locator(f'.ls-more [data-feature="{folded}"]').count() == 0


@pytest.mark.long
def test_what_is_no_number_is_refused_beside_its_field(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    first, second = _fields(tab)[:2]
    for name, text in ((first, "7"), (second, "a lot")):
        _field(tab, name).fill(text)
        _field(tab, name).press("Enter")
        tab.page.wait_for_selector(f'[data-feature="{name}"].ls-edited')

    refused = _field(tab, second)
    about = tab.page.locator(f"#{refused.get_attribute('aria-describedby')}")
    assert (refused.input_value(), refused.get_attribute("aria-invalid")) == ("a lot", "true")
    assert "'a lot' is not a finite number" in about.inner_text()
    assert _field(tab, first).input_value() == "7"
    assert first in tab.page.locator(".ls-changed").inner_text()


def _fields(tab: Watched) -> list[str]:
    fields = tab.page.locator(".ls-why [data-feature]").all()
    return [field.get_attribute("data-feature") or "" for field in fields if field.is_visible()]


def _field(tab: Watched, name: str) -> "Locator":
    return tab.page.locator(f'[data-feature="{name}"]')


def _label(shown: Shown) -> str:
    rows = httpx.get(f"{shown.url}/v1/datasets/{shown.registered.dataset['id']}/rows?limit=1000", verify=NO_TLS).json()[
        "data"
    ]
    row = next(row for row in rows if row["row_id"] == shown.row)
    return str(int(next(cell["value"] for cell in row["values"] if cell["name"] == "t")))


def _answer(shown: Shown) -> Json:
    about = {"dataset": shown.registered.dataset["id"], "row_ids": [shown.row]}
    answer: Json = httpx.post(
        f"{shown.url}/v1/explainers/{shown.explainer}/explanations", json=about, verify=NO_TLS
    ).json()
    explained: Json = answer["data"][0]
    return explained


@pytest.mark.long
def test_another_prototype_can_be_compared_with(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    tab.page.click('[data-action="choose"][data-rank="1"]')
    tab.page.wait_for_selector('[data-rank="1"][aria-pressed="true"]')

    assert "k=1" in tab.page.url


def test_a_map_names_lists_and_explains_its_rows(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"maps/{shown.map_id}"), ".ls-map canvas")
    rows = httpx.get(f"{shown.url}/v1/maps/{shown.map_id}/content?limit=1000", verify=NO_TLS).json()["data"]
    canvas, named = tab.page.locator(".ls-map canvas"), tab.page.locator(".ls-named")
    canvas.focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft"):
        canvas.press(key)
    chosen = named.inner_text().partition(":")[0].removeprefix("row ")
    assert chosen in {row["row_id"] for row in rows}

    box = canvas.bounding_box()
    assert box is not None
    corners = [(2, 2), (box["width"] - 2, 2), (box["width"] - 2, box["height"] - 2), (2, box["height"] - 2), (2, 3)]
    tab.page.mouse.move(box["x"] + 2, box["y"] + 2)
    tab.page.mouse.down()
    for x, y in corners:
        tab.page.mouse.move(box["x"] + x, box["y"] + y)
    tab.page.mouse.up()
    assert tab.page.locator("[data-listed] h2").inner_text() == "90 rows chosen"
    assert tab.page.locator("[data-listed] li").count() == 90
    tab.page.select_option("[data-colour]", "error")
    canvas.press("ArrowRight")
    canvas.press("Enter")
    tab.page.wait_for_selector(".ls-why")


def test_a_map_of_other_rows_explains_these_and_not_the_reference_rows_of_the_same_index(
    tab: Watched, shown: Shown, api: Api, forest: Registered
) -> None:
    outcomes = [{"name": name, "label": f"class {name}"} for name in forest.model["classes"]]
    rows = frame_of(forest.fitted).iloc[::-1].reset_index(drop=True)
    dataset = api.upload("/v1/datasets", csv_of(rows), {"target": "t"}).json()["id"]
    words = {"features": [], "outcomes": outcomes}
    api.http.put(f"/v1/datasets/{dataset}/dictionary", json=words).raise_for_status()
    mapped = {"model": forest.model["id"], "dataset": dataset, "n_rows": 90, "n_neighbors": 20}
    map_id = api.made("/v1/maps", mapped)["id"]
    tab.open(shown.address(f"maps/{map_id}"), ".ls-map canvas")
    canvas, named = tab.page.locator(".ls-map canvas"), tab.page.locator(".ls-named")
    canvas.focus()
    canvas.press("ArrowRight")
    assert ": class " in named.inner_text()

    canvas.press("Enter")
    tab.page.wait_for_selector(".ls-why")

    assert tab.page.url.endswith(f"?dataset={dataset}")
    assert tab.page.locator("h1").inner_text().startswith("Why is row ")


def test_a_dictionary_is_edited_refused_beside_its_field_and_never_overwrites_a_newer_one(
    browser: "Browser", shown: Shown
) -> None:
    tab = Watched(browser.new_page(), ("412", "422"))
    path = f"{shown.url}/v1/datasets/{shown.registered.dataset['id']}/dictionary"
    first, second = shown.registered.model["feature_names"][:2]
    httpx.put(path, json={"features": [{"name": second, "reason_code": "R2"}]}, verify=NO_TLS).raise_for_status()
    tab.open(shown.address(f"dictionary/{shown.registered.dataset['id']}"), ".ls-dictionary")
    of_first = tab.page.locator(f'[data-entry="{first}"]')
    of_first.locator('[data-word="label"]').fill("quite another name")
    of_first.locator("summary >> text=Labels").click()
    of_first.locator("[data-new-value]").fill("much")
    of_first.locator("[data-new-label]").fill("a lot")
    of_first.locator("[data-new-label]").press("Enter")
    of_first.locator("[data-problem-of] >> text='much' is none of its values").wait_for()
    of_first.locator("[data-new-value]").fill("")
    of_first.locator('[data-word="fixed"]').check()
    of_first.locator("summary >> text=As a reason").click()
    of_first.locator('[data-word="decimals"]').fill("0")
    of_first.locator('[data-word="reason_code"]').fill("R1")
    of_first.locator('[data-word="label"]').press("Enter")
    tab.page.wait_for_selector("#said >> text=Saved.", state="attached")
    words = httpx.get(path, verify=NO_TLS).json()
    entries = {each["name"]: each for each in words["features"]}
    assert (entries[first]["label"], entries[first]["fixed"]) == ("quite another name", True)
    assert (entries[first]["decimals"], entries[first]["reason_code"]) == (0, "R1")
    assert entries[second]["reason_code"] == "R2"
    saved = datetime.fromtimestamp(words["revision"] / 1e6, UTC)
    assert f"Saved last at {saved:%Y-%m-%d %H:%M}, UTC." in tab.page.locator(".ls-lead").inner_text()

    httpx.put(path, json={}, verify=NO_TLS).raise_for_status()
    of_first.locator('[data-word="label"]').press("Enter")
    tab.page.wait_for_selector("[data-problem] >> text=was changed meanwhile")
    assert httpx.get(path, verify=NO_TLS).json()["features"] == []
    httpx.delete(path, verify=NO_TLS).raise_for_status()
    tab.close()


def test_rows_and_a_model_are_registered_from_a_form_and_refused_beside_its_field(
    browser: "Browser", shown: Shown
) -> None:
    tab = Watched(browser.new_page(), ("400", "415", "422"))
    tab.open(shown.address("register"), ".ls-registration")
    rows = tab.page.locator('[data-upload="/v1/datasets"]')
    file: FilePayload = {"name": "rows.csv", "mimeType": "text/csv", "buffer": b"a,b,key\n1,x,k1\n2,y,k2\n"}
    rows.locator('[type="file"]').set_input_files([file])
    rows.locator('[data-field="name"]').fill("three columns")
    rows.locator('[data-field="target"]').fill("c")
    rows.locator('[data-field="target"]').press("Enter")
    rows.locator('[data-problem-of="target"]:has-text("there is no column \'c\'")').wait_for()
    rows.locator('[data-field="target"]').fill("b")
    rows.locator('[data-field="row_id"]').fill("key")
    rows.locator('[data-field="row_id"]').press("Enter")
    tab.page.wait_for_selector(".ls-dataset h1:has-text('three columns')")
    made = httpx.get(f"{shown.url}/v1/datasets/{tab.page.url.rpartition('/')[2]}", verify=NO_TLS).json()
    assert (made["target"], made["row_id"], made["n_rows"]) == ("b", "key", 2)
    renaming = tab.page.locator('form[data-method="PATCH"]')
    renaming.locator('[data-field="name"]').fill("three, renamed")
    renaming.locator("button").click()
    tab.page.wait_for_selector(".ls-dataset h1:has-text('three, renamed')")
    assert httpx.get(f"{shown.url}/v1/datasets/{made['id']}", verify=NO_TLS).json()["name"] == "three, renamed"
    renaming.locator('[data-field="name"]').fill("")
    renaming.locator("button").click()
    tab.page.locator("[data-problem]:not(:empty)").wait_for()

    tab.open(shown.address("register"), ".ls-registration")
    model = tab.page.locator('[data-upload="/v1/models"]')
    wrong: FilePayload = {"name": "model.onnx", "mimeType": "application/octet-stream", "buffer": b"no model at all"}
    model.locator('[type="file"]').set_input_files([wrong])
    model.locator("button").click()
    model.locator("[data-problem]:not(:empty), [data-problem-of]:not(:empty)").first.wait_for()
    right = httpx.get(f"{shown.url}/v1/models/{shown.registered.model['id']}", verify=NO_TLS).json()
    assert right["name"] != "from the page"
    tab.close()


def test_a_model_is_registered_with_what_is_decided_by_its_score(browser: "Browser", shown: Shown) -> None:
    known, fitted_model = shown.registered.model, shown.registered.fitted
    tab = Watched(browser.new_page(), ("422",))
    tab.open(shown.address("register"), ".ls-registration")
    form = tab.page.locator('[data-upload="/v1/models"]')
    file: FilePayload = {"name": "m.onnx", "mimeType": "application/octet-stream", "buffer": fitted_model.onnx}
    form.locator('[type="file"]').set_input_files([file])
    for name, text in {
        "feature_names": ", ".join(known["feature_names"]),
        "bands": "refused below 0.25, looked at below .5, granted",
        "score_of": known["classes"][1],
        "adverse": "refused",
    }.items():
        form.locator(f'[data-field="{name}"]').fill(text)
    form.locator("button").click()
    form.locator('[data-problem-of="decision"]:has-text("\'refused\' has the lowest scores")').wait_for()
    form.locator('[data-field="best_first"]').check()
    form.locator("button").click()
    tab.page.wait_for_selector(".ls-model >> text=granted")
    made = httpx.get(f"{shown.url}/v1/models/{tab.page.url.rpartition('/')[2]}", verify=NO_TLS).json()["decision"]
    ends = [(band["outcome"], band["below"]) for band in made["bands"]]
    assert ends == [("refused", 0.25), ("looked at", 0.5), ("granted", None)]
    assert (made["adverse"], made["best_first"]) == (["refused"], False)
    tab.close()


def test_rows_are_searched_by_a_range_a_refusal_stands_at_its_field_and_a_row_is_opened(
    tab: Watched, shown: Shown
) -> None:
    tab.open(shown.address(f"datasets/{shown.registered.dataset['id']}"), ".ls-dataset")
    tab.page.click("text=See and search its rows")
    tab.page.wait_for_selector(".ls-table-of-rows table")
    name = shown.registered.model["feature_names"][0]
    tab.page.select_option('[name="where"]', name)
    tab.page.fill('[name="at_least"]', "a lot")
    tab.page.press('[name="at_least"]', "Enter")
    tab.page.wait_for_selector("#ls-problem-at_least >> text='a lot' is no number")
    tab.page.fill('[name="at_least"]', "1")
    tab.page.press('[name="at_least"]', "Enter")
    tab.page.wait_for_selector(".ls-table-of-rows table")
    path = f"/v1/datasets/{shown.registered.dataset['id']}/rows?where={name}&at_least=1&limit=50"
    found = [row["row_id"] for row in httpx.get(f"{shown.url}{path}", verify=NO_TLS).raise_for_status().json()["data"]]
    links = tab.page.locator(".ls-table-of-rows tbody th a")
    assert links.all_inner_texts() == found
    links.first.click()
    tab.page.wait_for_selector(f".ls-why h1:has-text('row {found[0]}')")


def test_a_cutoff_is_chosen_by_its_slider_and_a_wrong_row_leads_to_its_explanation(tab: Watched, shown: Shown) -> None:
    measured = shown.evaluation["result"]["classification"]["outcomes"][0]
    tab.open(shown.address(f"evaluations/{shown.evaluation['id']}"), ".ls-evaluation")
    slider = tab.page.locator('[data-parameter="cutoff"]')
    slider.focus()
    slider.press("Home")
    first = measured["cutoffs"][0]
    tab.page.wait_for_selector(f".ls-by-cutoff output >> text=/^{re.escape(number(first['cutoff']))}$/")
    figures = tab.page.locator(".ls-by-cutoff").inner_text()
    assert f"{first['predicted']['n_counted']:,} of {first['predicted']['n_rows']:,} rows" in figures
    assert share(first["true_positive_rate"]["share"]) in figures
    assert "cutoff=0" in tab.page.url
    assert tab.page.locator("svg.ls-plot").count() == 2 + (measured["calibration"] is not None)
    if shown.evaluation["result"]["wrong_rows"]:
        tab.page.click('[aria-label="Wrong predictions"] a')
        tab.page.wait_for_selector(".ls-why")


def test_the_questionnaire_ends_at_a_leaf(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"trees/{shown.tree['id']}"), ".ls-tree")
    tab.page.click("text=Answer its questions")
    tab.page.wait_for_selector(".ls-ask")
    for n_answers in range(1, 4):
        field = tab.page.locator(".ls-ask [data-feature]")
        if not field.count():
            break
        field.fill("1")
        field.press("Enter")
        tab.page.wait_for_selector(f".ls-ask .ls-way > li >> nth={n_answers - 1}")
    assert tab.page.locator(".ls-ask .ls-verdict").inner_text().strip() in shown.registered.model["classes"]


@pytest.mark.long
def test_the_figures_of_a_view_are_those_of_the_api(tab: Watched, shown: Shown) -> None:
    document = httpx.get(f"{shown.url}/v1/prototype-sets/{shown.registered.prototype_set['id']}", verify=NO_TLS).json()
    tab.open(shown.address(f"prototypes/{document['id']}"), ".ls-set")
    text = tab.page.locator("main").inner_text()
    for prototype in document["result"]["prototypes"]:
        assert f"row {prototype['row_id']}" in text
        assert f"{prototype['coverage']['n_rows']:,} row" in text


def test_a_view_that_there_is_not_says_what_to_do(browser: "Browser", shown: Shown) -> None:
    tab = Watched(browser.new_page(), expected=("404",))
    tab.open(shown.address("models/mdl_nothing"), "h1")
    assert "list the models" in tab.page.locator("main").inner_text()
    assert "not_found" in tab.page.locator("main").inner_text()
    # Both views have the same heading, and the first one stands until the other has come.
    tab.open(shown.address("nonsense"), "main :text(\"the page has no view 'nonsense'\")")
    tab.page.click('main a:text-is("Overview")')
    tab.page.wait_for_selector(".ls-overview")
    tab.close()


@pytest.mark.long
def test_a_row_that_there_is_not_is_refused_with_those_that_there_are(browser: "Browser", shown: Shown) -> None:
    tab = Watched(browser.new_page(), expected=("404", "422"))
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/99999"), "h1:has-text('No row')")
    text = tab.page.locator("main").inner_text()
    assert f"has no row '99999'; its rows are 0 to {shown.registered.dataset['n_rows'] - 1}" in text
    tab.close()


def test_a_job_is_followed_to_its_end(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(""), '[data-live="jobs"]')
    about = {"model": shown.registered.model["id"], "dataset": shown.registered.dataset["id"], "n_prototypes": 7}
    made = httpx.post(f"{shown.url}/v1/prototype-sets", json=about, verify=NO_TLS).json()
    job = made["job"]
    httpx.get(f"{shown.url}/v1/jobs/{job}", headers={"Prefer": "wait=60"}, timeout=PATIENCE_SECONDS, verify=NO_TLS)
    tab.page.wait_for_selector('[data-live="jobs"][data-running="0"]')


@pytest.mark.parametrize("theme", mostly_long(["light", "dark"], "dark"))
def test_views_are_accessible_and_no_wider_than_a_phone(browser: "Browser", shown: Shown, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    # axe adds a script of its own, which the page's policy forbids.
    context = browser.new_context(color_scheme=theme, bypass_csp=True)  # type: ignore[arg-type]  # one of two words
    tab = Watched(context.new_page())
    for view, selector in shown.views().items():
        tab.page.set_viewport_size({"width": _PHONE_WIDTH, "height": _PHONE_HEIGHT})
        tab.open(shown.address(view), selector)
        assert tab.page.locator("html").evaluate("element => element.scrollWidth") <= _PHONE_WIDTH, view
        tab.page.set_viewport_size({"width": 1280, "height": 900})
        found = axe.Axe().run(tab.page)
        assert found.violations_count == 0, f"{view}: {json.dumps(found.response['violations'])[:2000]}"
    tab.close()
    context.close()
