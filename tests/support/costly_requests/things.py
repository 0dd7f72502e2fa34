"""What is on a service before its dearest requests are sent: one of everything, and bodies that it accepts."""

from collections.abc import Mapping
from typing import Any

from schemas.nouns import NOUNS
from tests.support.api import Api, Registered
from tests.support.contract_cases import register_everything
from tests.support.nouns import CREATED, create

from .recipes import Things, example_bodies


def things_on(api: Api, forest: Registered) -> Things:
    """Register one of everything that requests name, and wait until it is made."""
    everything = register_everything(api)
    ids = dict(everything.ids)
    for noun in CREATED:
        if noun.id_name not in ids:
            ids[noun.id_name] = _created(api, forest, noun)
    return Things(ids, _bodies(ids, forest), {**everything.files, "/v1/relational-datasets": b"id,a\n1,1\n"})


def _created(api: Api, forest: Registered, noun: Any) -> str:  # a noun of anything
    made = create(api, forest, noun, 1).json()
    if made.get("job"):
        assert api.wait(made["job"])["status"] == "succeeded", made
    return str(made["id"])


def _bodies(ids: Mapping[str, str], forest: Registered) -> dict[str, Any]:
    rows = [forest.instance(0)]
    names = {noun.singular: ids[noun.id_name] for noun in NOUNS.stored if noun.id_name in ids}
    bodies = {route: _with_ids(body, names) for route, body in example_bodies().items()}
    bodies |= {f"POST /v1/models/{{model_id}}/{way}": {"instances": rows} for way in ("predictions", "proximities")}
    bodies["POST /v1/models/{model_id}/proximities"]["others"] = rows
    for route in ("/v1/maps/{map_id}/places", "/v1/explainers/{explainer_id}/explanations"):
        bodies[f"POST {route}"] = {"instances": rows}
    bodies["POST /v1/feature-sets/{feature_set_id}/rows"] = {"instances": [{"parent": [{"id": 0, "a": 1}]}]}
    for way in ("explain", "predict"):
        bodies[f"POST /v1/models/{{name}}:{way}"] = {"instances": rows}
    tensors = [{"name": name, "shape": [1], "datatype": "FP64", "data": [value]} for name, value in rows[0].items()]
    bodies["POST /v2/models/{name}/infer"] = {"inputs": tensors}
    return bodies


def _with_ids(body: Any, names: Mapping[str, str]) -> Any:  # JSON
    """Return an example with the ids that are there in the place of its own."""
    if not isinstance(body, dict):
        return body
    return {name: names.get(name, value) if isinstance(value, str) else value for name, value in body.items()}
