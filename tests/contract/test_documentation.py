"""The API's own description: committed, served, and shown by a page that needs no internet."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.datasets import DATASETS
from schemas.models import MODELS
from schemas.noun import Noun
from schemas.nouns import NOUNS
from schemas.problems import PROBLEM_KINDS
from tests.support.api import Api, Json, Registered

_COMMITTED = Path(__file__).parents[2] / "openapi.json"
_URL = re.compile(r"""(?:https?:)?//[A-Za-z0-9.-]+\.[a-z]{2,}""")


@pytest.fixture(scope="module")
def document() -> Json:
    found: Json = json.loads(_COMMITTED.read_text(encoding="utf-8"))
    return found


def test_the_served_description_is_the_committed_one(api: Api, document: Json) -> None:
    assert api.get("/openapi.json").json() == document


def test_the_description_says_what_tags_mean_and_under_which_licence_it_is(document: Json) -> None:
    described = {tag["name"]: tag["description"] for tag in document["tags"]}
    used = {tag for path in document["paths"].values() for operation in path.values() for tag in operation["tags"]}

    assert used == set(described)
    assert all(description.endswith(".") for description in described.values())
    assert document["info"]["license"]["identifier"] == "Apache-2.0"
    assert [server["url"] for server in document["servers"]] == ["/"]


def test_each_line_and_each_event_of_a_stream_is_described(document: Json) -> None:
    def schema_of_items(path: str, media_type: str) -> str:
        answer = document["paths"][path]["get"]["responses"]["200"]
        content = answer["content"] | answer.get("x-other-forms", {})
        schema = content[media_type]["schema"]
        assert (schema["type"], schema["contentMediaType"]) == ("string", media_type)
        reference: str = schema["contentSchema"]["items"]["$ref"]
        return reference.rpartition("/")[2]

    lines = "/v1/explanation-sets/{explanation_set_id}/content"
    assert schema_of_items(lines, "application/jsonl") == "Explanation"
    assert schema_of_items(lines, "application/x-ndjson") == "Explanation"
    assert schema_of_items("/v1/jobs/{job_id}/events", "text/event-stream") == "JobEvent"


def test_events_of_a_job_are_as_described(api: Api, forest: Registered, document: Json) -> None:
    schemas = document["components"]["schemas"]
    stream = api.get(f"/v1/jobs/{forest.prototype_set['job']}/events").text
    blocks = [block.splitlines() for block in stream.split("\n\n") if block.strip()]
    events = [dict(line.split(": ", 1) for line in block) for block in blocks]

    assert [event["event"] for event in events][-1] == "done"
    for event in events:
        _check(event, schemas["JobEvent"], schemas, "event")
        _check(json.loads(event["data"]), schemas["Job"], schemas, "data")


def test_the_page_and_its_assets_come_from_here_alone(api: Api) -> None:
    page = api.get("/docs")
    assets = re.findall(r'(?:href|src)="([^"]+)"', page.text)

    assert page.status_code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert not _URL.search(page.text)
    assert '"validatorUrl": null' in page.text
    assert len(assets) == 3
    for asset in assets:
        answer = api.get(asset)
        assert asset.startswith("/docs/assets/")
        assert answer.status_code == 200
        assert len(answer.content) > 100
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert not _URL.search(policy)


@pytest.mark.parametrize("path", ["/docs/assets/../../../etc/passwd", "/docs/assets/%2e%2e/%2e%2e/pyproject.toml"])
def test_assets_are_not_a_path_to_other_files(api: Api, path: str) -> None:
    assert api.get(path).status_code == 404


def test_every_operation_says_how_it_can_fail_and_only_as_problems(document: Json) -> None:
    statuses = {str(kind.status) for kind in PROBLEM_KINDS.values()}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            failures = {status: each for status, each in operation["responses"].items() if status >= "400"}
            assert failures or path == "/livez", (method, path)
            assert set(failures) <= statuses
            for status, failure in failures.items():
                assert failure == {"$ref": f"#/components/responses/Problem{status}"}
    for failure in document["components"]["responses"].values():
        assert list(failure["content"]) == ["application/problem+json"]
        schema = failure["content"]["application/problem+json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/Problem"}


def test_operations_have_names_of_their_own_and_a_sentence(document: Json) -> None:
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)
    assert all(operation["description"].endswith(".") for operation in operations)


def test_every_property_is_described(document: Json) -> None:
    properties = [
        (f"{place}/{name}", schema)
        for place, object_ in _objects(document["components"]["schemas"], "")
        for name, schema in object_["properties"].items()
    ]

    assert len(properties) > 600
    assert [place for place, schema in properties if not schema.get("description", "").strip()] == []
    assert [place for place, schema in properties if schema["description"][-1] not in ".…"] == []


def test_every_union_has_a_name_of_its_own(document: Json) -> None:
    """Generators of clients invent names for those without."""
    unions = [
        (place, [choice for choice in union["anyOf"] if choice != {"type": "null"}])
        for place, union in _unions(document["components"]["schemas"], "")
        if place.count("/") > 1
    ]

    assert len(unions) > 100
    assert [place for place, choices in unions if len(choices) > 1] == []


def _unions(value: object, place: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        if isinstance(value.get("anyOf"), list):
            yield place, value
        for name, item in value.items():
            yield from _unions(item, f"{place}/{name}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unions(item, f"{place}/{index}")


def test_every_parameter_is_described(document: Json) -> None:
    parameters = [
        (path, method, parameter)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        for parameter in operation.get("parameters", [])
    ]

    assert len(parameters) > 50
    assert [(path, method, each["name"]) for path, method, each in parameters if not each.get("description")] == []


def test_an_answer_that_accept_chooses_is_described_as_one_type(document: Json) -> None:
    chosen = {}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for answer in (each for status, each in operation["responses"].items() if status < "300"):
                kinds = {content["schema"].get("$ref", "other") for content in answer.get("content", {}).values()}
                assert len(kinds) <= 1, path
                if others := answer.get("x-other-forms"):
                    chosen[path] = set(others)
                    assert set(answer["content"]) == {"application/json"}
                    assert all(f"`{media_type}`" in answer["description"] for media_type in others)

    assert chosen["/v1/explainers/{explainer_id}/explanations"] == {"text/html"}
    assert chosen["/v1/prototype-sets/{prototype_set_id}/content"] == {"text/csv", "application/vnd.apache.parquet"}
    assert len(chosen) >= 12


def test_every_request_in_json_and_every_success_has_an_example_that_is_valid(document: Json) -> None:
    schemas = document["components"]["schemas"]
    n_examples = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            successes = [each for status, each in operation["responses"].items() if status < "300"]
            for body in [operation.get("requestBody", {}), *successes]:
                for media_type, content in (body.get("content", {}) | body.get("x-other-forms", {})).items():
                    if content["schema"].get("format") == "binary":
                        continue
                    for example in _examples(content, schemas):
                        _check(example, content["schema"], schemas, f"{method} {path} {media_type}")
                        n_examples += 1

    assert n_examples > 80


@pytest.mark.parametrize("noun", [MODELS, DATASETS], ids=lambda noun: noun.name)
def test_the_example_of_an_uploads_metadata_is_accepted(document: Json, noun: Noun[Any]) -> None:
    field = document["components"]["schemas"][f"Body_register_{noun.singular}"]["properties"]["metadata"]
    assert noun.request is not None

    assert noun.request.model_validate_json(field["examples"][0])
    assert field["contentSchema"] == {"$ref": f"#/components/schemas/{noun.request.__name__}"}


@pytest.mark.parametrize("noun", NOUNS.values(), ids=lambda noun: noun.name)
def test_examples_are_what_the_models_accept(document: Json, noun: Noun[Any]) -> None:
    kinds = {kind for kind in (noun.request, noun.view, noun.summary, noun.result) if kind is not None}
    for kind in kinds:
        (example,) = document["components"]["schemas"][kind.__name__]["examples"]
        assert kind.model_validate_json(json.dumps(example))


def _examples(content: Json, schemas: Json) -> list[Any]:
    """Return the examples of a request or an answer: its own, or those of its schema or of the fields of a form."""
    if "example" in content:
        return [content["example"]]
    schema = schemas[content["schema"]["$ref"].rpartition("/")[2]]
    if "examples" in schema:
        found: list[Any] = schema["examples"]
        return found
    assert schema["properties"].keys() == {"file", "metadata"}
    file: str | list[str] = [""] if schema["properties"]["file"]["type"] == "array" else ""
    return [{"file": file, "metadata": example} for example in schema["properties"]["metadata"]["examples"]]


def _objects(value: object, place: str) -> Iterator[tuple[str, Json]]:
    """Yield every schema of an object with declared properties, however deep, and where it is."""
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict) and value.get("type") == "object":
            yield place, value
        for name, item in value.items():
            yield from _objects(item, f"{place}/{name}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _objects(item, f"{place}/{index}")


def test_nothing_that_varies_by_class_or_feature_is_a_key(document: Json) -> None:
    free = {
        name
        for name, schema in document["components"]["schemas"].items()
        if schema.get("additionalProperties", False) is not False
    }

    assert free == set()


_PATHS = {
    "/v1/models": {"get", "post"},
    "/v1/models/{model_id}": {"get", "patch", "delete"},
    "/v1/models/{model_id}/trees/{tree}": {"get"},
    "/v1/models/{model_id}/features": {"get"},
    "/v1/models/{model_id}/predictions": {"post"},
    "/v1/models/{model_id}/proximities": {"post"},
    "/v1/datasets": {"get", "post"},
    "/v1/datasets/{dataset_id}": {"get", "patch", "delete"},
    "/v1/datasets/{dataset_id}/dictionary": {"get", "put", "delete"},
    "/v1/datasets/{dataset_id}/rows": {"get"},
    "/v1/relational-datasets": {"get", "post"},
    "/v1/relational-datasets/{relational_dataset_id}": {"get", "patch", "delete"},
    "/v1/feature-sets": {"get", "post"},
    "/v1/feature-sets/{feature_set_id}": {"get", "delete"},
    "/v1/feature-sets/{feature_set_id}/content": {"get"},
    "/v1/feature-sets/{feature_set_id}/export": {"get"},
    "/v1/feature-sets/{feature_set_id}/rows": {"post"},
    "/v1/feature-sets/{feature_set_id}/datasets": {"post"},
    "/v1/relational-forests": {"get", "post"},
    "/v1/relational-forests/{relational_forest_id}": {"get", "delete"},
    "/v1/relational-forests/{relational_forest_id}/content": {"get"},
    "/v1/proximities": {"get", "post"},
    "/v1/proximities/{proximities_id}": {"get", "delete"},
    "/v1/proximities/{proximities_id}/content": {"get"},
    "/v1/label-audits": {"get", "post"},
    "/v1/label-audits/{label_audit_id}": {"get", "delete"},
    "/v1/label-audits/{label_audit_id}/content": {"get"},
    "/v1/label-audits/{label_audit_id}/rows/{row}": {"get"},
    "/v1/label-audits/{label_audit_id}/decisions": {"get"},
    "/v1/label-audits/{label_audit_id}/decisions/counts": {"get"},
    "/v1/label-audits/{label_audit_id}/decisions/export": {"get"},
    "/v1/label-audits/{label_audit_id}/decisions/{row}": {"get", "put", "delete"},
    "/v1/maps": {"get", "post"},
    "/v1/maps/{map_id}": {"get", "delete"},
    "/v1/maps/{map_id}/content": {"get"},
    "/v1/maps/{map_id}/places": {"post"},
    "/v1/prototype-sets": {"get", "post"},
    "/v1/prototype-sets/{prototype_set_id}": {"get", "delete"},
    "/v1/prototype-sets/{prototype_set_id}/content": {"get"},
    "/v1/prototype-sets/{prototype_set_id}/export": {"get"},
    "/v1/prototype-sets/{prototype_set_id}/rows": {"get"},
    "/v1/rule-sets": {"get", "post"},
    "/v1/rule-sets/{rule_set_id}": {"get", "delete"},
    "/v1/rule-sets/{rule_set_id}/content": {"get"},
    "/v1/rule-sets/{rule_set_id}/export": {"get"},
    "/v1/rule-sets/{rule_set_id}/parameters": {"get"},
    "/v1/rule-sets/{rule_set_id}/rows": {"get"},
    "/v1/approximation-trees": {"get", "post"},
    "/v1/approximation-trees/{approximation_tree_id}": {"get", "delete"},
    "/v1/approximation-trees/{approximation_tree_id}/content": {"get"},
    "/v1/approximation-trees/{approximation_tree_id}/export": {"get"},
    "/v1/approximation-trees/{approximation_tree_id}/next-question": {"post"},
    "/v1/explainers": {"get", "post"},
    "/v1/explainers/{explainer_id}": {"get", "patch", "delete"},
    "/v1/explainers/{explainer_id}/explanations": {"post"},
    "/v1/explainer-names": {"get"},
    "/v1/explainer-names/{name}": {"get", "put", "delete"},
    "/v1/explainer-names/{name}/history": {"get"},
    "/v1/explanations": {"get", "delete"},
    "/v1/explanations/{stored_explanation_id}": {"get", "delete"},
    "/v1/explanations/{stored_explanation_id}/verify": {"post"},
    "/v1/explanation-sets": {"get", "post"},
    "/v1/explanation-sets/{explanation_set_id}": {"get", "delete"},
    "/v1/explanation-sets/{explanation_set_id}/content": {"get"},
    "/v1/comparisons": {"get", "post"},
    "/v1/comparisons/{comparison_id}": {"get", "delete"},
    "/v1/comparisons/{comparison_id}/content": {"get"},
    "/v1/evaluations": {"get", "post"},
    "/v1/evaluations/{evaluation_id}": {"get", "delete"},
    "/v1/evaluations/{evaluation_id}/content": {"get"},
    "/v1/reports": {"get", "post"},
    "/v1/reports/{report_id}": {"get", "delete"},
    "/v1/reports/{report_id}/content": {"get"},
    "/v1/reports/{report_id}/verify": {"post"},
    "/v1/jobs": {"get"},
    "/v1/jobs/events": {"get"},
    "/v1/jobs/{job_id}": {"get"},
    "/v1/jobs/{job_id}/cancel": {"post"},
    "/v1/jobs/{job_id}/events": {"get"},
    "/v1/api-keys": {"get", "post"},
    "/v1/api-keys/{api_key_id}": {"get", "delete"},
    "/v1/version": {"get"},
    "/v1/me": {"get"},
    "/livez": {"get"},
    "/readyz": {"get"},
}


@pytest.mark.usefixtures("forest")
def test_paths_of_the_contract_are_all_there(document: Json) -> None:
    assert {path: set(operations) for path, operations in document["paths"].items()} == _PATHS


def test_answers_are_what_the_description_promises(api: Api, forest: Registered, document: Json) -> None:
    question = {"model": forest.model["id"], "dataset": forest.dataset["id"]}
    proximities, audit = api.made("/v1/proximities", question), api.made("/v1/label-audits", question)
    rule_set = api.made("/v1/rule-sets", {**question, "n_restarts": 2, "max_rules": 4})
    tree = api.made("/v1/approximation-trees", {**question, "max_depth": 2, "max_pseudo_samples": 1000})
    leading = {
        "model": forest.model["id"],
        "prototype_set": forest.prototype_set["id"],
        "approximation_tree": tree["id"],
    }
    led = api.post("/v1/explainers", leading).json()
    include = ["contrast", "approximation_path"]
    explained = {"explainer": led["id"], "dataset": forest.dataset["id"], "include": include}
    explanation_set = api.made("/v1/explanation-sets", explained)
    content = f"/v1/explanation-sets/{explanation_set['id']}/content"
    rows = {"instances": [forest.instance(0), {}], "others": [forest.instance(1), {}]}
    answers = {
        "Proximities": proximities,
        "Page_NeighborsOfRow_": api.get(f"/v1/proximities/{proximities['id']}/content").json(),
        "ProximityBlock": api.post(f"/v1/models/{forest.model['id']}/proximities", rows).json(),
        "LabelAudit": audit,
        "Page_AuditedRow_": api.get(f"/v1/label-audits/{audit['id']}/content").json(),
        "RuleSet": rule_set,
        "RuleSetResult": api.get(f"/v1/rule-sets/{rule_set['id']}/content").json(),
        "ApproximationTree": tree,
        "ApproximationTreeResult": api.get(f"/v1/approximation-trees/{tree['id']}/content").json(),
        "NextQuestion": api.post(f"/v1/approximation-trees/{tree['id']}/next-question", {}).json(),
        "ExplanationSet": explanation_set,
        "Page_Explanation_": api.get(content, Accept="application/json").json(),
        "Model": forest.model,
        "Dataset": forest.dataset,
        "PrototypeSet": forest.prototype_set,
        "Explainer": forest.explainer,
        "Job": api.get(f"/v1/jobs/{forest.prototype_set['job']}").json(),
        "ExplanationList": api.explain(led["id"], [forest.instance(0)], include=include),
        "Tree": api.get(f"/v1/models/{forest.model['id']}/trees/0").json(),
    }
    schemas = document["components"]["schemas"]
    for name, answer in answers.items():
        _check(answer, {"$ref": f"#/components/schemas/{name}"}, schemas, name)


def _check(value: Any, schema: Json, schemas: Json, place: str) -> None:  # any JSON value
    """Hold a value against the parts of a schema that clients build on: types, fields, enumerations."""
    if "$ref" in schema:
        _check(value, schemas[schema["$ref"].rpartition("/")[2]], schemas, place)
        return
    if "discriminator" in schema:
        chosen = schema["discriminator"]["mapping"][value[schema["discriminator"]["propertyName"]]]
        _check(value, {"$ref": chosen}, schemas, place)
        return
    if "anyOf" in schema:
        assert any(_fits(value, option, schemas, place) for option in schema["anyOf"]), (place, value)
        return
    kind = schema.get("type")
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "array": list,
        "object": dict,
    }
    if kind is not None:
        assert isinstance(value, kinds[kind]), (place, value)
        assert kind == "boolean" or not isinstance(value, bool), (place, value)
    assert value in schema.get("enum", [value]), (place, value)
    assert value == schema.get("const", value), (place, value)
    if isinstance(value, list):
        for position, item in enumerate(value):
            _check(item, schema.get("items", {}), schemas, f"{place}/{position}")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        is_open = others is True or isinstance(others, dict) or not schema
        assert set(schema.get("required", [])) <= set(value), place
        assert is_open or set(value) <= set(properties), place
        for name, item in value.items():
            _check(item, properties.get(name, others if isinstance(others, dict) else {}), schemas, f"{place}/{name}")


def _fits(value: object, schema: Json, schemas: Json, place: str) -> bool:
    try:
        _check(value, schema, schemas, place)
    except AssertionError:
        return False
    return True
