"""Generated requests made to reach what is there: real ids and rows in the place of made-up ones, most of the time."""

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemas.nouns import NOUNS

from .api import Api, Json, csv_of, frame_of, register
from .models import fitted

if TYPE_CHECKING:
    from schemathesis import Case
from .nouns import EXAMPLES, FROM_MODEL_AND_DATASET, inputs_of, storing_explainer

_MADE_UP_ONCE_IN = 4


@dataclass(frozen=True)
class RealThings:
    """What is registered, by the name that requests and paths know it by."""

    ids: dict[str, str]
    instance: Json
    files: dict[str, bytes]  # by path

    def put_into(self, case: "Case[Any]") -> None:
        """Exchange a generated request's ids, rows and file for real ones, unless this one is to miss."""
        if self._is_to_miss(case):
            return
        for name in case.path_parameters:
            if name in self.ids:
                case.path_parameters[name] = self.ids[name]
        if case.path in self.files and isinstance(case.body, dict) and "file" in case.body:
            case.body = {**case.body, "file": self.files[case.path]}  # type: ignore[dict-item]  # the file of a form
        elif isinstance(case.body, dict):
            case.body.update(self._real_parts(case.body))

    def _real_parts(self, body: dict[str, Any]) -> dict[str, Any]:
        parts: dict[str, Any] = {
            name: self.ids[f"{name}_id"] for name in body if f"{name}_id" in self.ids and isinstance(body[name], str)
        }
        parts |= {name: self.ids["dataset_id"] for name in body if name.endswith("_dataset") and body[name] is not None}
        if isinstance(body.get("instances"), list):
            parts["instances"] = [self.instance, *body["instances"]][:50]
        return parts

    @staticmethod
    def _is_to_miss(case: "Case[Any]") -> bool:
        case_text = repr((case.path_parameters, case.query, case.headers, case.body))
        return zlib.crc32(case_text.encode("utf-8", "backslashreplace")) % _MADE_UP_ONCE_IN == 0


def register_everything(api: Api) -> RealThings:
    """Register a forest and have one of everything made of it."""
    forest = register(api, "random_forest_binary")
    about = {"model": forest.model["id"], "dataset": forest.dataset["id"]}
    ids = {"model_id": about["model"], "dataset_id": about["dataset"], "explainer_id": forest.explainer["id"]}
    assert api.http.put("/v1/explainer-names/real", json={"explainer": ids["explainer_id"]}).is_success
    ids["name"] = "real"
    for noun in FROM_MODEL_AND_DATASET:
        made = api.made(noun.path, {**inputs_of(api, forest, noun), **EXAMPLES[noun.name].request})
        assert made["status"] == "ready", made
        ids[noun.id_name] = made["id"]
    explained = api.made("/v1/explanation-sets", {"explainer": ids["explainer_id"], "dataset": about["dataset"]})
    assert explained["status"] == "ready", explained
    ids |= {"explanation_set_id": explained["id"], "job_id": explained["job"]}
    stored = api.explain(storing_explainer(api, forest), [forest.instance(0)])["data"][0]
    ids[NOUNS["explanations"].id_name] = stored["id"]
    boosted = fitted("xgboost_binary")
    files = {"/v1/models": boosted.onnx, "/v1/datasets": csv_of(frame_of(boosted))}
    return RealThings(ids, forest.instance(0), files)
