"""Nothing of a hidden feature is in an answer of the service, but in what was registered and in what code computes."""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qs

import httpx
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from schemas.maps import MAPS, MapRequest
from schemas.reports import REPORTS, ReportRequest
from service.main import build_app, create_server_app
from service.operations import maps, reports
from tests.support.pipelines import columns_onnx
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, result_of, workshop_in

_LABELS = {
    "qyears": "age of the applicant",
    "qwage": "monthly wage",
    "qsaved": "savings of the household",
    "qstate": "state of the account",
}
_VALUES = {"qcode11": "overdrawn", "qcode12": "in credit", "qcode13": "never used"}
_PARTS = ["values", "intervals", "contrast", "rules", "approximation_path", "nearest_rows"]
_COSTLY = ["changes", "curves", "evidence", "training_rows"]

_REGISTERED = re.compile(r"/v1/(models|datasets)(/|$)")  # may name what is hidden


def _frame(n_rows: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "qyears": random.integers(20, 70, n_rows).astype(np.float64),
            "qwage": np.round(random.uniform(1000, 5000, n_rows), 2),
            "qsaved": np.round(random.uniform(0, 9000, n_rows) * (1 - shift), 2),
            "qstate": random.choice(list(_VALUES), n_rows),
        }
    )
    points = frame.qyears / 50 + frame.qwage / 3000 + frame.qsaved / 6000 + (frame.qstate == "qcode12") - 1.2
    return frame.assign(risk=np.where(points + random.normal(0, 0.4, n_rows) > 1.5, "good", "bad"))


@dataclass(frozen=True)
class _Shop:
    workshop: Workshop
    api: TestClient
    frame: pd.DataFrame
    model: str
    dataset: str
    few: str  # a dataset of some rows
    explainer: str
    ids: dict[str, list[str]]  # by the name of the path's parameter

    def hide(self, *hidden: str) -> None:
        features = [{"name": name, "label": label, "hidden": name in hidden} for name, label in _LABELS.items()]
        features[-1]["values"] = [{"value": value, "label": label} for value, label in _VALUES.items()]
        answer = self.api.put(f"/v1/datasets/{self.dataset}/dictionary", json={"features": features})
        assert answer.is_success, answer.text

    def explain(self, **request: Any) -> dict[str, Any]:
        answer = self.api.post(f"/v1/explainers/{self.explainer}/explanations", json=request)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def report(self, **request: Any) -> str:
        made = reports.request_report(
            self.workshop.context, ReportRequest(title="all of it", explainer=self.explainer, **request)
        )
        return self.workshop._made(REPORTS, made).id


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Shop]:
    frame = _frame(120, 3)
    features = frame.drop(columns="risk")

    def onnx(seed: int) -> bytes:
        text = ColumnTransformer(
            [("text", OneHotEncoder(handle_unknown="ignore"), ["qstate"])], remainder="passthrough"
        )
        forest = RandomForestClassifier(8, max_depth=4, bootstrap=False, random_state=seed)
        return columns_onnx(make_pipeline(text, forest).fit(features, frame.risk), features)

    with workshop_in(tmp_path_factory.mktemp("hidden"), store_explanations=True) as workshop:
        model, other = (workshop.register_model(onnx(seed)) for seed in (0, 1))
        dataset = workshop.register_dataset(frame, target="risk", held_out=True)
        newer = workshop.register_dataset(_frame(120, 4, shift=0.9), target="risk")
        few = workshop.register_dataset(frame.iloc[:3], target="risk")
        both = {"model": model, "dataset": dataset}
        prototypes = workshop.make(**both, n_prototypes=4)
        rules = workshop.find_rules(**both, n_restarts=1, max_rules=3)
        regions = workshop.find_rules(**both, method="fab", n_restarts=1, max_rules=2)
        tree = workshop.grow_tree(**both, method="cart", max_pseudo_samples=2000, max_depth=3)
        explainer = workshop.register_explainer(
            model=model,
            prototype_set=prototypes.id,
            rule_set=rules.id,
            approximation_tree=tree.id,
            store_explanations=True,
        )
        plane = workshop._made(MAPS, maps.request_map(workshop.context, MapRequest(model=model, dataset=dataset)))
        ids = {
            "model_id": [model],
            "dataset_id": [dataset],
            "prototype_set_id": [prototypes.id],
            "rule_set_id": [rules.id, regions.id],
            "approximation_tree_id": [tree.id],
            "map_id": [plane.id],
            "label_audit_id": [workshop.audit(**both).id],
            "proximities_id": [workshop.find_neighbors(**both).id],
            "comparison_id": [
                workshop.compare(**both, other_model=other).id,
                workshop.compare(**both, other_dataset=newer).id,
            ],
            "evaluation_id": [workshop.evaluate(**both, group_by=list(_LABELS)).id],
            "explainer_id": [explainer],
        }
        app = create_server_app(workshop.context.settings)
        with TestClient(app, base_url="http://localhost") as api:  # type: ignore[arg-type]
            yield _Shop(workshop, api, frame, model, dataset, few, explainer, ids)


_FORMS = {  # for people; others compute with all features
    "rule_set_id": ("markdown", "html"),
    "approximation_tree_id": ("text", "graphviz", "svg", "html"),
    "prototype_set_id": ("html",),
}
_PARAMETERS = {"row": "0", "tree": "0", "rank": "1", "row_id": "2", "format": ""}
_THINGS = {  # of views of the page, whose addresses do not say what their ids are of
    "models": "model_id",
    "datasets": "dataset_id",
    "prototypes": "prototype_set_id",
    "represented": "prototype_set_id",
    "rules": "rule_set_id",
    "trees": "approximation_tree_id",
    "questions": "approximation_tree_id",
    "audits": "label_audit_id",
    "reviews": "label_audit_id",
    "maps": "map_id",
    "comparisons": "comparison_id",
    "evaluations": "evaluation_id",
    "explainers": "explainer_id",
    "rows": "dataset_id",
    "features": "explainer_id",
    "regions": "explainer_id",
}
_ELSEWHERE = re.compile(  # relational nouns have no features of a dataset; others are read in tests of their own
    r"relational|feature-sets|feature_set|api-keys|/v1/jobs|explainer-names|decisions/|/v2|:predict|/v1/explanation"
    r"|reports|events|/ui|/problems|/docs|/dictionary|\{name"
)


@pytest.fixture(scope="module")
def named_in(shop: _Shop) -> dict[str, set[str]]:
    """The addresses of all answers by what they name, where nothing is hidden."""
    shop.hide()
    texts = dict(_answers(shop))
    return {name: {path for path, text in texts.items() if _words_in(text, shop, name)} for name in _LABELS}


@pytest.mark.parametrize("hidden", mostly_long(sorted(_LABELS), "qstate", "qwage"))
def test_no_answer_names_a_hidden_feature_or_has_its_values(
    shop: _Shop, named_in: dict[str, set[str]], hidden: str
) -> None:
    shop.hide(hidden)
    found = {path: words for path, text in _answers(shop) if (words := _words_in(text, shop, hidden))}

    assert found == {}
    assert len(named_in[hidden]) > 20


def _answers(shop: _Shop) -> Iterator[tuple[str, str]]:
    """Yield the address of each answer to GET about the things of this shop, in each form, and all that it says."""
    (explainer,) = shop.ids["explainer_id"]
    paths = [f"/page/parts/explainers/{explainer}/rows/2?set.qyears=30", f"/page/parts/regions/{explainer}?x=qwage"]
    paths += [path for template in _templates() for path in _filled(template, shop.ids)]
    for path in paths:
        yield path, _said(shop.api.get(path))
        if path.endswith(("/content", "/parameters", "/rows")):
            for form in ("text/csv", "application/vnd.apache.parquet"):
                yield f"{path} {form}", _said(shop.api.get(path, headers={"Accept": form}))


def _templates() -> list[str]:
    routes = [route for route in build_app().state.routes if "GET" in route.methods]
    return [route.path for route in routes if not _ELSEWHERE.search(route.path)]


def _filled(template: str, ids: dict[str, list[str]]) -> Iterator[str]:
    """Yield the addresses of a route, one for each thing and form."""
    template = template.replace(":path}", "}")
    part = template.split("/")[3] if template.startswith("/page/parts/") else ""
    for name in ("thing_id", "artefact_id"):
        template = template.replace(f"{{{name}}}", f"{{{_THINGS.get(part, name)}}}")
    names = re.findall(r"\{(\w+)\}", template)
    kind = next((name for name in names if name in ids), None)
    for thing in ids[kind] if kind else [""]:
        path = template.format(**{**_PARAMETERS, **({kind: thing} if kind else {})})
        if path.endswith("/export"):
            yield from (f"{path}?format={form}" for form in _FORMS[kind or ""])
        elif not _REGISTERED.match(path):
            yield path + ("?rank=1" if path.startswith("/v1/prototype-sets") and path.endswith("/rows") else "")


def _words_in(text: str, shop: _Shop, hidden: str) -> set[str]:
    """Return the name, the label and the values of a feature that a text has; of numbers, those that are long."""
    words = {hidden, _LABELS[hidden]}
    if hidden == "qstate":
        words |= {*_VALUES, *_VALUES.values()}
    elif hidden != "qyears":
        words |= {repr(value) for value in shop.frame[hidden] if len(repr(value)) >= 7}
    return {word for word in words if word in text}


def _said(answer: httpx.Response) -> str:
    """Return all that an answer says, in whatever form it comes."""
    assert answer.is_success or answer.status_code in {404, 406, 409, 422}, (str(answer.url), answer.text)
    if answer.headers["Content-Type"] == "application/vnd.apache.parquet":
        return str(pq.read_table(io.BytesIO(answer.content)).to_pylist())
    return answer.content.decode(errors="replace")


@pytest.mark.parametrize("hidden", sorted(_LABELS))
def test_nothing_hidden_is_in_explanations_nor_in_what_keeps_them(shop: _Shop, hidden: str) -> None:
    shop.hide(hidden)
    row = shop.frame.drop(columns="risk").iloc[2].to_dict()
    parts = {"detail": "full", "include": _COSTLY}
    answers = [shop.explain(dataset=shop.dataset, row_ids=["2"], **parts)]
    answers += [shop.explain(instances=[each], **parts) for each in (row, [*row.values()])]
    made = shop.workshop.explain(explainer=shop.explainer, dataset=shop.few, **parts)
    texts = [json.dumps(answers), result_of(made).model_dump_json()]
    texts += [_said(shop.api.get(f"/v1/explanations/{answer['data'][0]['id']}")) for answer in answers]
    content = f"/v1/explanation-sets/{made.id}/content"
    forms = ("application/x-ndjson", "application/json", "application/vnd.apache.parquet")
    texts += [_said(shop.api.get(content, headers={"Accept": form})) for form in forms]

    assert [words for text in texts if (words := _words_in(text, shop, hidden))] == []
    assert all(label in "".join(texts) for name, label in _LABELS.items() if name != hidden)


@pytest.mark.parametrize("hidden", ["qwage", "qstate"])
def test_pasted_values_of_a_hidden_feature_are_left_out_of_the_rows_and_of_their_addresses(
    shop: _Shop, hidden: str
) -> None:
    shop.hide(hidden)
    part = f"/page/parts/explainers/{shop.explainer}"
    rows = shop.frame.drop(columns="risk").iloc[:2]
    pasted = _said(shop.api.post(f"{part}/pasted", json={"text": rows.to_csv(index=False)}))
    assert _words_in(pasted, shop, hidden) == set()
    assert "The values of 1 hidden feature are left out, and count as missing" in pasted
    addresses = [unescape(each).partition("?")[2] for each in re.findall(r'href="#([^"]+)"', pasted)]
    shown = set(rows.columns) - {hidden}
    assert [{*parse_qs(each)} for each in addresses] == [{f"of.{name}" for name in shown}] * 2
    for view in ("new-row", "form"):
        assert _words_in(_said(shop.api.get(f"{part}/{view}?{addresses[0]}")), shop, hidden) == set()
        refused = shop.api.get(f"{part}/{view}?of.{hidden}=1")
        assert refused.status_code == 422
        assert "a feature that the dictionary hides" in refused.text


def test_nothing_hidden_is_in_reports_and_questions(shop: _Shop) -> None:
    for hidden in ("qwage", "qstate"):
        shop.hide(hidden)
        ids = {name: shop.ids[f"{name}_id"][0] for name in ("map", "label_audit")}
        for comparison in shop.ids["comparison_id"]:
            report = shop.report(rows=["2"], newer_dataset=shop.few, comparison=comparison, **ids)
            for path in ("", "/content"):
                text = _said(shop.api.get(f"/v1/reports/{report}{path}"))
                assert _words_in(text, shop, hidden) == set()
        assert _words_in(_said(shop.api.get(f"/page/parts/reports/{report}")), shop, hidden) == set()
        assert _words_in("\n".join(_questions(shop)), shop, hidden) == set()


def _questions(shop: _Shop) -> Iterator[str]:
    """Yield the answers of a tree as a questionnaire, as long as it asks."""
    (tree,), row = shop.ids["approximation_tree_id"], shop.frame.iloc[2].to_dict()
    answers: dict[str, Any] = {}
    while True:
        answer = shop.api.post(f"/v1/approximation-trees/{tree}/next-question", json={"answers": answers})
        yield answer.text
        question = answer.json().get("question")
        if question is None:
            return
        answers[question["column"]] = row[question["column"]]


def test_a_feature_that_is_hidden_later_leaves_in_nothing_that_was_made_before(shop: _Shop) -> None:
    shop.hide()
    kept = shop.explain(dataset=shop.dataset, row_ids=["2"], detail="full")["data"][0]["id"]
    made = shop.workshop.explain(explainer=shop.explainer, dataset=shop.few)
    paths = [f"/v1/explanations/{kept}", f"/v1/explanation-sets/{made.id}/content"]
    assert [shop.api.get(path).status_code for path in paths] == [200, 200]
    shop.hide("qwage")

    for path in paths:
        for form in ("application/x-ndjson", "application/json", "application/vnd.apache.parquet"):
            answer = shop.api.get(path, headers={"Accept": form})
            assert (answer.status_code, answer.json()["code"]) == (409, "feature_hidden")
            assert _words_in(answer.text, shop, "qwage") == set()
    assert "qwage" not in shop.api.get(f"/v1/explanation-sets/{made.id}").text
    verified = shop.api.post(f"/v1/explanations/{kept}/verify").json()
    assert verified["status"] == "different"
    assert verified["dictionary"]["revision"] < verified["present_dictionary"]["revision"]
    again = shop.workshop.explain(explainer=shop.explainer, dataset=shop.few)
    assert again.id != made.id
    assert "qwage" not in shop.api.get(f"/v1/explanation-sets/{again.id}/content").text
    shop.hide("qstate")
    assert [shop.api.get(path).status_code for path in paths] == [409, 409]
    shop.hide()
    assert [shop.api.get(path).status_code for path in paths] == [200, 200]


@pytest.mark.parametrize(
    "asked",
    [
        {"include": ["changes"], "fixed": ["unheard"]},
        {"include": ["nearest_rows"], "nearest_rows": {"group_by": "unheard", "max_per_group": 1}},
        {"reference": "rows:unheard"},
        {"outcome": "unheard"},
    ],
)
def test_a_refusal_names_no_hidden_feature(shop: _Shop, asked: dict[str, Any]) -> None:
    shop.hide("qyears")
    answer = shop.api.post(
        f"/v1/explainers/{shop.explainer}/explanations", json={"dataset": shop.dataset, "row_ids": ["2"], **asked}
    )

    assert answer.status_code == 422
    assert "unheard" in answer.text
    assert _words_in(answer.text, shop, "qyears") == set()


def test_reports_are_worded_by_the_dictionary_that_they_name(shop: _Shop) -> None:
    shop.hide()
    first = shop.report(rows=["2"])
    text = _said(shop.api.get(f"/v1/reports/{first}/content"))
    assert all(label in text for label in _LABELS.values())
    (used,) = [
        each for each in shop.api.get(f"/v1/reports/{first}").json()["result"]["inputs"] if "dict" in each["noun"]
    ]
    assert (used["id"], used["sha256"] in text) == (shop.dataset, True)
    assert shop.api.post(f"/v1/reports/{first}/verify").json()["status"] == "same"
    shop.hide("qwage")
    assert shop.report(rows=["2"]) != first
    assert shop.api.post(f"/v1/reports/{first}/verify").json()["status"] == "different"
    assert _said(shop.api.get(f"/v1/reports/{first}/content")) == text  # as it was filed
