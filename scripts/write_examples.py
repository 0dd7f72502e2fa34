"""Write service/examples.json: real requests and answers of a small model, which the contract shows as examples.

Start a service on an empty data directory first (``LEAFSPACE_STORE_EXPLANATIONS=1 leafspace serve --data-dir …``), and
name it in ``LEAFSPACE_URL`` if it is not at http://127.0.0.1:8000. Long lists are cut to their first items. API keys
and the address of a lake are invented.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from schemas.noun import Noun
from schemas.nouns import NOUNS
from tests.support.nouns import EXAMPLES

_TARGET = Path(__file__).parents[1] / "service/examples.json"
_JSON = "application/json"
_SQL, _PYTHON, _HTML = "application/sql", "text/x-python", "text/html"
_EXPORTS_OF_RULES = {"json": _JSON, "markdown": "text/markdown", "sql": _SQL, "python": _PYTHON, "html": _HTML}
_EXPORTS_OF_TREES = {
    "json": _JSON,
    "sql": _SQL,
    "python": _PYTHON,
    "text": "text/plain",
    "graphviz": "text/vnd.graphviz",
    "svg": "image/svg+xml",
    "html": _HTML,
}
_FEATURES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
_LENGTHS = {"nodes": 7, "tables": 3, "scores": 3, "classes": 3, "columns": 6, "classes_without_prototypes": 3}
_LONGEST, _LONGEST_CELLS, _LONGEST_TEXT = 2, 4, 1500
_FAR_ROW = {"sepal_length": 6.1, "sepal_width": 2.8, "petal_length": 4.9, "petal_width": 1.7}
_WIDE_ROW = {**_FAR_ROW, "petal_width": 2.6}  # wider than that of any reference row
_NEAR_ROW = {"sepal_length": 5.0, "sepal_width": 3.4, "petal_length": 1.5, "petal_width": 0.2}
_WORDS = {
    "features": [{"name": "petal_width", "label": "width of the petal", "unit": "cm", "decimals": 1, "group": "petal"}],
    "outcomes": [{"name": "setosa", "label": "Iris setosa"}],
}
_SOURCE = {"files": "s3://lake/scored/2026/*.parquet"}
_LONG_PETAL = 4.4  # from which the other model of a comparison was taught another name
_API_KEY = {
    "object": "api_key",
    "id": "key_mfzwizltoq2dgmbr",
    "name": "scoring, production",
    "scopes": ["read", "explain"],
    "created_at": "2026-01-31T08:00:00Z",
    "last_used_at": None,
}


class _Recorder:
    """Calls a service and keeps what was sent and answered, by the names of the contract's schemas."""

    def __init__(self, url: str) -> None:
        self.schemas: dict[str, Any] = {}
        self.texts: dict[str, dict[str, Any]] = {}
        self._http = httpx.Client(base_url=url, timeout=300)

    def upload(self, name: str, path: str, file: bytes, metadata: dict[str, Any]) -> Any:  # JSON
        form = {"metadata": json.dumps(metadata)}
        answer = self._http.post(path, files={"file": ("upload", file)}, data=form).raise_for_status().json()
        self._keep(f"{name}Metadata", metadata)
        self._keep(name, answer)
        return answer

    def upload_tables(
        self, name: str, path: str, files: list[tuple[str, bytes]], metadata: dict[str, Any]
    ) -> Any:  # JSON
        parts = [("file", file) for file in files]
        answer = self._http.post(path, files=parts, data={"metadata": json.dumps(metadata)}).raise_for_status().json()
        self._keep(f"{name}Metadata", metadata)
        self._keep(name, answer)
        return answer

    def post(self, request_name: str, name: str, path: str, body: dict[str, Any]) -> Any:  # JSON
        return self._send("POST", (request_name, name), path, body)

    def put(self, request_name: str, name: str, path: str, body: dict[str, Any]) -> Any:  # JSON
        return self._send("PUT", (request_name, name), path, body)

    def _send(self, method: str, names: tuple[str, str], path: str, body: dict[str, Any]) -> Any:  # JSON
        request_name, name = names
        answer = self.call(method, path, body)
        self._keep(request_name, body)
        self._keep(name, answer)
        return answer

    def call(self, method: str, path: str, body: dict[str, Any] | None = None, name: str = "") -> Any:
        """Return an answer; keep it as the example of its schema where that is named."""
        answer = self._http.request(method, path, json=body).raise_for_status().json()
        if name:
            self._keep(name, answer)
        return answer

    def make(self, noun: Noun[Any], made_from: dict[str, str]) -> str:
        """Have one thing made by a job as the noun's example says; return its id."""
        name, path = noun.view.__name__, noun.path
        fields = {**made_from, **EXAMPLES[noun.name].shown}
        in_order = {field: fields[field] for field in noun.request.model_fields if field in fields}  # type: ignore[union-attr]  # jobs make it
        artefact = self.post(f"{name}Request", name, path, in_order)
        while (
            self._http.get(f"/v1/jobs/{artefact['job']}", headers={"Prefer": "wait=30"}).json()["finished_at"] is None
        ):
            pass
        self.get(name, f"{path}/{artefact['id']}")
        self.get("Job", f"/v1/jobs/{artefact['job']}")
        return str(artefact["id"])

    def get(self, name: str, path: str, accept: str = _JSON) -> Any:  # JSON
        answer = self._http.get(path, headers={"Accept": accept}).raise_for_status().json()
        self._keep(name, answer)
        return answer

    def get_item(self, name: str, path: str, accept: str = _JSON) -> None:
        """Keep the first item of a list as the example of its schema; examples of lists are made from it."""
        (item, *_) = self._http.get(path, headers={"Accept": accept}).raise_for_status().json()["data"]
        self._keep(name, item)

    def get_text(self, operation: str, media_type: str, path: str) -> None:
        text = self._http.get(path, headers={"Accept": media_type}).raise_for_status().text
        shown = _trimmed(json.loads(text)) if media_type == _JSON else _first_lines(text)
        self.texts.setdefault(operation, {})[media_type] = shown

    def post_text(self, operation: str, media_type: str, path: str, body: dict[str, Any]) -> None:
        text = self._http.post(path, json=body, headers={"Accept": media_type}).raise_for_status().text
        self.texts.setdefault(operation, {})[media_type] = _first_lines(text)

    def _keep(self, name: str, value: Any) -> None:  # any JSON value
        self.schemas[name] = _trimmed(value)


def main() -> int:
    """Write the file; return the exit status."""
    recorder = _Recorder(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
    _record(recorder)
    recorder.schemas |= {
        "ApiKeyRequest": {"name": _API_KEY["name"], "scopes": _API_KEY["scopes"]},
        "ApiKey": _API_KEY,
        "SourceDatasetRequest": {
            "name": "loans of 2026",
            "target": "defaulted",
            "row_id": "loan",
            "source": _SOURCE,
        },
        "Renaming": {"name": "credit scoring, March"},
        "NewApiKey": {**_API_KEY, "secret": f"lsk_mfzwizltoq2dgmbr_{'x' * 43}"},
    }
    examples = {"schemas": dict(sorted(recorder.schemas.items())), "texts": recorder.texts}
    _TARGET.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _record(recorder: _Recorder) -> None:
    iris = load_iris()
    labels = iris.target_names[iris.target]
    stricter = np.where((labels == "versicolor") & (iris.data[:, 2] > _LONG_PETAL), "virginica", labels)
    forest, other = (
        RandomForestClassifier(30, max_depth=3, bootstrap=False, random_state=0).fit(iris.data, y)
        for y in (labels, stricter)
    )
    other_model = recorder.upload("Model", "/v1/models", *_model_upload(other, iris.data))["id"]
    model = recorder.upload("Model", "/v1/models", *_model_upload(forest, iris.data))["id"]
    table = _csv([[*_FEATURES, "species"], *([*row, label] for row, label in zip(iris.data, labels, strict=True))])
    said = [{"name": "sepal_length", "title": "Length of the sepal", "unit": "cm"}]
    metadata = {"name": "iris measurements", "target": "species", "columns": said}
    dataset = recorder.upload("Dataset", "/v1/datasets", table, metadata)["id"]
    recorder.get_item("ModelSummary", "/v1/models")
    recorder.get_item("DatasetSummary", "/v1/datasets")
    recorder.get_item("DatasetRow", f"/v1/datasets/{dataset}/rows")
    _record_relational_dataset(recorder)
    recorder.get("Tree", f"/v1/models/{model}/trees/0")
    recorder.get("FeatureUsageList", f"/v1/models/{model}/features")
    rows = {"instances": [_FAR_ROW, _NEAR_ROW], "row_ids": ["flower-1", "flower-2"]}
    recorder.post("PredictionRequest", "PredictionList", f"/v1/models/{model}/predictions", rows)
    block = {"instances": [_FAR_ROW], "others": [_NEAR_ROW]}
    recorder.post("ProximityBlockRequest", "ProximityBlock", f"/v1/models/{model}/proximities", block)
    _record_artefacts(recorder, {"model": model, "dataset": dataset})
    compared = recorder.make(NOUNS["comparisons"], {"model": model, "dataset": dataset, "other_model": other_model})
    recorder.get("ComparisonResult", f"/v1/comparisons/{compared}/content")
    for name, path in (
        ("Liveness", "/livez"),
        ("Readiness", "/readyz"),
        ("ServiceVersion", "/v1/version"),
        ("Me", "/v1/me"),
    ):
        recorder.get(name, path)
    recorder.put("DictionaryRequest", "Dictionary", f"/v1/datasets/{dataset}/dictionary", _WORDS)


def _record_relational_dataset(recorder: _Recorder) -> None:
    tables: dict[str, list[list[Any]]] = {
        "customer": [["id", "age", "as_of", "defaulted"], [1, 42, "2026-01-31", "no"], [2, 27, "2026-01-31", "yes"]],
        "account": [["id", "customer_id", "kind"], [10, 1, "debit"], [11, 2, "credit"], [12, 2, "debit"]],
        "transaction": [["account_id", "amount", "booked_at"], [11, -250, "2026-01-07"], [11, -90.5, "2026-01-09"]],
    }
    metadata = {
        "name": "bank",
        "examples": {"table": "customer", "target": "defaulted", "cutoff": "as_of"},
        "tables": [
            {"name": "customer", "primary_key": ["id"]},
            {
                "name": "account",
                "primary_key": ["id"],
                "foreign_keys": [{"columns": ["customer_id"], "references": "customer"}],
            },
            {"name": "transaction", "time": "booked_at"},
        ],
    }
    files = [(f"{name}.csv", _csv(rows)) for name, rows in tables.items()]
    tables_id = recorder.upload_tables("RelationalDataset", "/v1/relational-datasets", files, metadata)["id"]
    recorder.get_item("RelationalDatasetSummary", "/v1/relational-datasets")
    forest = recorder.make(NOUNS["relational_forests"], {"relational_dataset": tables_id})
    recorder.get("RelationalForestResult", f"/v1/relational-forests/{forest}/content")
    recorder.get_text("get_relational_forest_content", "text/csv", f"/v1/relational-forests/{forest}/content")
    _record_feature_set(recorder, tables_id)


def _record_feature_set(recorder: _Recorder, tables_id: str) -> None:
    has_credit = {
        "kind": "exists",
        "variables": [{"id": "a", "table": "account", "from": "example", "by": "account.customer_id"}],
        "conditions": [{"variable": "a", "column": "kind", "operator": "=", "value": "credit"}],
    }
    age = {"kind": "value", "name": "age", "measure": {"variable": "example", "column": "age"}}
    request = {"relational_dataset": tables_id, "features": [has_credit, age]}
    feature_set = recorder.post("FeatureSetRequest", "FeatureSet", "/v1/feature-sets", request)["id"]
    path = f"/v1/feature-sets/{feature_set}"
    recorder.get("FeatureSetResult", f"{path}/content")
    recorder.get_text("get_feature_set_content", "text/csv", f"{path}/content")
    customer = {"id": 3, "age": 51, "as_of": "2026-01-31"}
    rows = {"customer": [customer], "account": [{"id": 12, "customer_id": 3, "kind": "credit"}]}
    recorder.post("FeatureRowsRequest", "FeatureRowList", f"{path}/rows", {"instances": [rows]})
    recorder.post("FeatureDatasetRequest", "FeatureDataset", f"{path}/datasets", {"relational_dataset": tables_id})
    for form, media_type in (("json", _JSON), ("sql", _SQL), ("html", _HTML)):
        recorder.get_text("export_feature_set", media_type, f"{path}/export?format={form}")


def _record_artefacts(recorder: _Recorder, on: dict[str, str]) -> None:
    _record_tables(recorder, on)
    rules, tree = _record_rule_set(recorder, on), _record_approximation_tree(recorder, on)
    prototypes = recorder.make(NOUNS["prototype_sets"], on)
    recorder.get_item("RepresentedRow", f"/v1/prototype-sets/{prototypes}/rows?rank=1")
    recorder.get_text("get_prototype_set_content", "text/csv", f"/v1/prototype-sets/{prototypes}/content")
    for form, media_type in {"json": _JSON, "sql": _SQL, "python": _PYTHON, "html": _HTML}.items():
        path = f"/v1/prototype-sets/{prototypes}/export?format={form}"
        recorder.get_text("export_prototype_set", media_type, path)
    mapped = recorder.make(NOUNS["maps"], {**on, "prototype_set": prototypes})
    recorder.get_item("MapRow", f"/v1/maps/{mapped}/content")
    recorder.get_text("get_map_content", "text/csv", f"/v1/maps/{mapped}/content")
    placed = {"instances": [_FAR_ROW], "row_ids": ["flower-1"]}
    recorder.post("PlacesRequest", "PlaceList", f"/v1/maps/{mapped}/places", placed)
    _record_explanations(recorder, on, {"prototype_set": prototypes, "rule_set": rules, "approximation_tree": tree})
    job = recorder.schemas["Job"]["id"]
    recorder.get_text("watch_job", "text/event-stream", f"/v1/jobs/{job}/events")
    recorder.texts["watch_jobs"] = recorder.texts["watch_job"]  # which has no end


def _record_tables(recorder: _Recorder, on: dict[str, str]) -> None:
    """Record the artefacts whose content is a table that is read page by page."""
    proximities = recorder.make(NOUNS["proximities"], on)
    recorder.get_item("NeighborsOfRow", f"/v1/proximities/{proximities}/content")
    recorder.get_text("get_proximities_content", "text/csv", f"/v1/proximities/{proximities}/content")
    audit = recorder.make(NOUNS["label_audits"], on)
    recorder.get_item("AuditedRow", f"/v1/label-audits/{audit}/content")
    recorder.get_text("get_label_audit_content", "text/csv", f"/v1/label-audits/{audit}/content")
    _record_decisions(recorder, f"/v1/label-audits/{audit}")
    evaluation = recorder.make(NOUNS["evaluations"], on)
    recorder.get_item("WrongRow", f"/v1/evaluations/{evaluation}/content")
    recorder.get_text("get_evaluation_content", "text/csv", f"/v1/evaluations/{evaluation}/content")


def _record_decisions(recorder: _Recorder, audit: str) -> None:
    (suspect, *_) = recorder.call("GET", f"{audit}/content?limit=1")["data"]
    decision = {"decision": "relabel", "label": suspect["predicted_label"], "note": "seen under a lens"}
    path = f"{audit}/decisions/{suspect['row']}"
    recorder.put("LabelDecisionRequest", "LabelDecision", path, decision)
    recorder.get("ReviewedRow", f"{audit}/rows/{suspect['row']}")
    recorder.get("DecisionCounts", f"{audit}/decisions/counts")
    recorder.get_item("DecidedRow", f"{audit}/decisions/export")
    for form, media_type in (("csv", "text/csv"), ("html", _HTML)):
        recorder.get_text("export_label_decisions", media_type, f"{audit}/decisions/export?format={form}")


def _record_rule_set(recorder: _Recorder, on: dict[str, str]) -> str:
    rules = recorder.make(NOUNS["rule_sets"], on)
    recorder.get_text("get_rule_set_content", "text/csv", f"/v1/rule-sets/{rules}/content")
    recorder.get_text("get_rule_set_parameters", "text/csv", f"/v1/rule-sets/{rules}/parameters")
    recorder.get_text("list_rule_set_rows", "text/csv", f"/v1/rule-sets/{rules}/rows")
    for form, media_type in _EXPORTS_OF_RULES.items():
        recorder.get_text("export_rule_set", media_type, f"/v1/rule-sets/{rules}/export?format={form}")
    return rules


def _record_approximation_tree(recorder: _Recorder, on: dict[str, str]) -> str:
    tree = recorder.make(NOUNS["approximation_trees"], on)
    recorder.get_text("get_approximation_tree_content", "text/csv", f"/v1/approximation-trees/{tree}/content")
    for form, media_type in _EXPORTS_OF_TREES.items():
        path = f"/v1/approximation-trees/{tree}/export?format={form}"
        recorder.get_text("export_approximation_tree", media_type, path)
    answers = {"answers": {"petal_width": 1.7}}
    recorder.post("NextQuestionRequest", "NextQuestion", f"/v1/approximation-trees/{tree}/next-question", answers)
    return tree


def _record_explanations(recorder: _Recorder, on: dict[str, str], parts: dict[str, str]) -> None:
    request = {"model": on["model"], **parts, "name": "iris, all features"}
    explainer = recorder.post("ExplainerRequest", "Explainer", "/v1/explainers", request)["id"]
    recorder.get_item("ExplainerSummary", "/v1/explainers")
    named = "/v1/explainer-names/iris"
    recorder.put("ExplainerNameRequest", "ExplainerName", named, {"explainer": explainer, "force": False})
    recorder.get_item("ExplainerNameChange", f"{named}/history")
    rows = {**EXAMPLES["explanation_sets"].shown, "instances": [_WIDE_ROW], "row_ids": ["flower-1"]}
    path = f"/v1/explainers/{explainer}/explanations"
    explained = recorder.post("ExplanationRequest", "ExplanationList", path, rows)
    recorder.schemas["Explanation"] = _trimmed(explained["data"][0])
    recorder.post_text("explain", _HTML, path, rows)
    _record_stored_explanation(recorder, {**request, "store_explanations": True})
    explained_from = {"explainer": explainer, "dataset": on["dataset"]}
    explanations = recorder.make(NOUNS["explanation_sets"], explained_from)
    for media_type in ("application/x-ndjson", "application/jsonl"):
        content = f"/v1/explanation-sets/{explanations}/content"
        recorder.get_text("get_explanation_set_content", media_type, content)
    _record_report(recorder, explainer, on["dataset"])


def _record_report(recorder: _Recorder, explainer: str, dataset: str) -> None:
    report = recorder.make(NOUNS["reports"], {"explainer": explainer, "newer_dataset": dataset})
    recorder.get_text("get_report_content", _HTML, f"/v1/reports/{report}/content")
    recorder.call("POST", f"/v1/reports/{report}/verify", name="ReportVerification")


def _record_stored_explanation(recorder: _Recorder, explainer: dict[str, Any]) -> None:
    storing = recorder.call("POST", "/v1/explainers", explainer)["id"]
    rows = {"instances": [_WIDE_ROW], "row_ids": ["flower-1"], "n_prototypes": 1, "n_reasons": 2}
    explained = recorder.call("POST", f"/v1/explainers/{storing}/explanations", rows)
    path = f"/v1/explanations/{explained['data'][0]['id']}"
    recorder.get_item("StoredExplanationSummary", "/v1/explanations")
    recorder.get("StoredExplanation", path)
    recorder.call("POST", f"{path}/verify", name="Verification")
    recorder.call("DELETE", f"/v1/explanations?explainer={storing}&row_id=flower-1", name="DeletedExplanations")


def _model_upload(forest: RandomForestClassifier, rows: Any) -> tuple[bytes, dict[str, Any]]:  # array
    graph = to_onnx(forest, rows[:1].astype(np.float32), options={"zipmap": False}).SerializeToString()
    classes = forest.classes_.tolist()
    parity = {"rows": rows[:2].tolist(), "predictions": forest.predict_proba(rows[:2]).tolist()}
    sent = {"feature_names": _FEATURES, "classes": classes, "ensemble": "random_forest", "parity": parity}
    return graph, {"name": "iris forest", **sent}


def _csv(lines: list[list[Any]]) -> bytes:
    return "".join(",".join(map(str, line)) + "\n" for line in lines).encode()


def _trimmed(value: Any, name: str = "") -> Any:  # any JSON value
    if isinstance(value, dict):
        return {key: _trimmed(item, key) for key, item in value.items()}
    if isinstance(value, list) and name == "quantiles":
        return value[:: len(value) // 4]  # quartiles, as there are of many columns
    if isinstance(value, list):
        is_flat = not any(isinstance(item, dict | list) for item in value)
        longest = _LENGTHS.get(name, _LONGEST_CELLS if is_flat else _LONGEST)
        return [_trimmed(item) for item in value[:longest]]
    return value


def _first_lines(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT].rpartition("\n")[0] + "\n"


if __name__ == "__main__":
    sys.exit(main())
