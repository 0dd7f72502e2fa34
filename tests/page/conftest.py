"""One browser, and a service with a model and everything that is made of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support.api import Api, Json, Registered
from tests.support.browser import Watched, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@dataclass(frozen=True)
class Shown:
    """What the page can show of a model."""

    url: str
    registered: Registered
    rule_set: Json
    tree: Json
    audit: Json
    map_id: str
    evaluation: Json
    explainer: str
    row: str

    def views(self) -> dict[str, str]:
        """Return the address of every view, and what it has."""
        of = self.registered
        return {
            "": ".ls-overview",
            f"models/{of.model['id']}": ".ls-model",
            f"datasets/{of.dataset['id']}": ".ls-dataset",
            f"dictionary/{of.dataset['id']}": ".ls-dictionary",
            f"rows/{of.dataset['id']}": ".ls-table-of-rows table",
            f"prototypes/{of.prototype_set['id']}": ".ls-set",
            f"represented/{of.prototype_set['id']}/1": ".ls-represented",
            "jobs": ".ls-jobs",
            "register": ".ls-registration",
            "operation": ".ls-operation",
            "found?name=m": ".ls-found",
            f"rules/{self.rule_set['id']}": ".ls-rules",
            f"trees/{self.tree['id']}": ".ls-tree",
            f"questions/{self.tree['id']}": ".ls-ask",
            f"audits/{self.audit['id']}": ".ls-audit",
            f"reviews/{self.audit['id']}": ".ls-review",
            f"evaluations/{self.evaluation['id']}": ".ls-evaluation",
            f"maps/{self.map_id}": ".ls-map canvas",
            f"explainers/{self.explainer}/rows/{self.row}": ".ls-why",
            f"regions/{self.explainer}": ".ls-over",
            f"explainers/{self.explainer}": ".ls-explainer",
            f"explainers/{self.explainer}/rows/{self.row}?letter=": ".ls-letter",
            f"explainers/{self.explainer}/form": ".ls-new-row",
            f"explainers/{self.explainer}/report?row={self.row}": ".ls-forms",
        }

    def address(self, view: str) -> str:
        """Return the address of a view in the browser."""
        return f"{self.url}/ui/#/{view}"


@pytest.fixture(scope="module")  # its driver keeps an event loop running, which other tests must not meet
def browser() -> "Iterator[Browser]":
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def shown(api: Api, forest: Registered) -> Shown:
    about = {"model": forest.model["id"], "dataset": forest.dataset["id"]}
    rule_set = api.made("/v1/rule-sets", {**about, "n_restarts": 2})
    tree = api.made("/v1/approximation-trees", {**about, "max_depth": 2, "max_pseudo_samples": 1000})
    explainer = api.post(
        "/v1/explainers",
        {
            "model": forest.model["id"],
            "prototype_set": forest.prototype_set["id"],
            "rule_set": rule_set["id"],
            "approximation_tree": tree["id"],
        },
    ).json()["id"]
    audit = api.made("/v1/label-audits", about)
    mapped = {**about, "prototype_set": forest.prototype_set["id"], "n_rows": 90, "n_neighbors": 20}
    map_id = api.made("/v1/maps", mapped)["id"]
    evaluation = api.made("/v1/evaluations", about)
    url = str(api.http.base_url).rstrip("/")
    row = forest.prototype_set["result"]["prototypes"][0]["row_id"]
    return Shown(url, forest, rule_set, tree, audit, map_id, evaluation, explainer, row)


@pytest.fixture
def tab(browser: "Browser") -> Iterator[Watched]:
    watched = Watched(browser.new_page(viewport={"width": 1280, "height": 900}))
    yield watched
    watched.close()
