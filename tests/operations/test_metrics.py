"""/metrics of a real service: what it returns can be read by Prometheus, and moves as it should."""

import re
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.support.api import Api, Registered
from tests.support.patience import PATIENCE_SECONDS
from tests.support.serving import Service

_EXPLAINING = {"route": "/v1/explainers/{explainer_id}/explanations", "method": "POST"}


class Scrape:
    """One look at /metrics."""

    def __init__(self, api: Api) -> None:
        answer = api.http.get("/metrics")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        self.samples = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]

    def value(self, name: str, **labels: str) -> float:
        return sum(sample.value for sample in self.samples if sample.name == name and sample.labels == labels)

    def labels(self, label: str) -> set[str]:
        return {sample.labels[label] for sample in self.samples if label in sample.labels}


def test_requests_are_counted_and_timed_by_route_method_and_class_of_status(api: Api, registered: Registered) -> None:
    before = Scrape(api)
    for row in range(5):
        api.explain(registered.explainer["id"], [registered.instance(row)])
    api.post(f"/v1/explainers/{registered.explainer['id']}/explanations", {"instances": []})

    after = Scrape(api)

    def moved(name: str, **labels: str) -> float:
        return after.value(name, **labels) - before.value(name, **labels)

    assert moved("leafspace_requests_total", status="2xx", **_EXPLAINING) == 5
    assert moved("leafspace_requests_total", status="4xx", **_EXPLAINING) == 1
    assert moved("leafspace_error_answers_total", status="422") == 1
    assert moved("leafspace_request_seconds_count", **_EXPLAINING) == 6
    assert 0 < moved("leafspace_request_seconds_sum", **_EXPLAINING) < 30
    buckets = [sample for sample in after.samples if sample.name == "leafspace_request_seconds_bucket"]
    explaining = [sample.value for sample in buckets if sample.labels.items() >= _EXPLAINING.items()]
    assert explaining == sorted(explaining)
    assert explaining[-1] == after.value("leafspace_request_seconds_count", **_EXPLAINING)
    assert {"0.00025", "0.001", "+Inf"} <= after.labels("le")
    assert moved("leafspace_cache_hits_total", cache="explainers") >= 4


def test_what_strangers_send_makes_no_labels(api: Api) -> None:
    routes = Scrape(api).labels("route")
    for path in ("/nowhere", "/v1/models/x/y/z", "/v1/%F0%9F%8C%B2", "//", "/v1/models/", "/livez/"):
        api.http.get(path)
    api.http.request("BREW", "/v1/models/mdl_x")

    after = Scrape(api)

    assert after.labels("route") - routes <= {"other", "/", "/v1/models/{model_id}"}
    assert after.value("leafspace_requests_total", route="other", method="GET", status="4xx") >= 4
    assert "BREW" not in after.labels("method")


def test_jobs_workers_and_what_the_service_rests_on_are_reported(service: Service, registered: Registered) -> None:
    assert registered
    with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client:
        api = Api(service.url)
        api.http = client
        found = Scrape(api)

    assert found.value("leafspace_jobs", kind="prototype_sets", status="succeeded") >= 1
    assert found.value("leafspace_queue_depth") == 0
    assert found.value("leafspace_database_up") == found.value("leafspace_redis_up") == 1
    assert found.value("leafspace_object_store_up") == 1
    assert found.value("leafspace_workers") == 1
    assert found.value("process_resident_memory_bytes") > 50e6
    assert found.value("leafspace_data_free_bytes") > 0
    assert found.value("leafspace_requests_in_flight", route="/metrics") == 1
    assert found.value("leafspace_uploads_in_progress") == 0


def test_what_the_operations_page_describes_is_reported(api: Api, registered: Registered) -> None:
    assert registered
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    spoken_of = set(re.findall(r"\bleafspace_[a-z_]+[a-z]\b", page))

    names = {sample.name for sample in Scrape(api).samples}

    assert len(spoken_of) > 15
    # Buckets and sums go by the name of their histogram; nothing was removed yet, and no error may have been answered.
    families = names | {re.sub("_(bucket|sum|count)$", "", name) for name in names}
    assert spoken_of - families <= {"leafspace_removed_total", "leafspace_error_answers_total"}
