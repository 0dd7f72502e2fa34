"""The API as a test calls it: over HTTP, with what most tests need registered once."""

import io
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np
import pandas as pd

from .additive_effects import check_answer
from .models import FittedModel, fitted
from .raw_http import NO_TLS

Json = dict[str, Any]
_PATIENCE_SECONDS = 300


class Api:
    """A client of one service; answers come back as they are, whatever their status."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=_PATIENCE_SECONDS, verify=NO_TLS)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._checked(self.http.get(path, headers=headers))

    def post(self, path: str, body: object = None, **headers: str) -> httpx.Response:
        if body is None:
            return self.http.post(path, headers=headers)
        return self._checked(self.http.post(path, json=body, headers=headers))

    @staticmethod
    def _checked(answer: httpx.Response) -> httpx.Response:
        """Return an answer whose explanations, where it has some, have effects that add up."""
        if answer.status_code == 200:
            check_answer(answer.content)
        return answer

    def patch(self, path: str, body: object, **headers: str) -> httpx.Response:
        return self.http.patch(path, json=body, headers=headers)

    def delete(self, path: str) -> httpx.Response:
        return self.http.delete(path)

    def upload(
        self, path: str, data: bytes, metadata: Mapping[str, object] | str | None = None, **headers: str
    ) -> httpx.Response:
        form = {} if metadata is None else {"metadata": metadata if isinstance(metadata, str) else json.dumps(metadata)}
        return self.http.post(path, files={"file": ("upload", data)}, data=form, headers=headers)

    def upload_tables(
        self, path: str, files: Mapping[str, str | bytes], metadata: Mapping[str, object] | str, **headers: str
    ) -> httpx.Response:
        """Send the files of several tables, by their names."""
        parts = [("file", (name, data)) for name, data in files.items()]
        form = {"metadata": metadata if isinstance(metadata, str) else json.dumps(metadata)}
        return self.http.post(path, files=parts, data=form, headers=headers)

    def wait(self, job: str) -> Json:
        """Return the job when it has ended, however long that takes: a test that hangs is ended from outside."""
        while True:
            answer = self.get(f"/v1/jobs/{job}", Prefer="wait=30")
            assert answer.status_code == 200, answer.text
            found: Json = answer.json()
            if found["status"] in {"succeeded", "failed", "cancelled"}:
                return found

    def make(self, **request: object) -> Json:
        """Request a prototype set, wait for its job, and return it as it is then."""
        return self.made("/v1/prototype-sets", request)

    def made(self, path: str, request: object) -> Json:
        """Request an artefact, wait for its job, and return it as it is then."""
        answer = self.post(path, request)
        assert answer.status_code in {200, 202}, answer.text
        if answer.status_code == 202:
            self.wait(answer.json()["job"])
        found: Json = self.get(f"{path}/{answer.json()['id']}").json()
        return found

    def content(self, path: str, accept: str, product: str = "content") -> bytes:
        """Return an artefact's whole content, or another product, in this form."""
        answer = self.get(f"{path}/{product}", Accept=accept)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"].partition(";")[0] == accept
        return answer.content

    def newest_job(self) -> str | None:
        """Return the id of the job that was requested last; what others requested may still change its state."""
        ids = [job["id"] for job in self.get("/v1/jobs?limit=1").json()["data"]]
        return ids[0] if ids else None

    def pages(self, path: str, limit: int) -> Iterator[Json]:
        """Yield the items of a list, page by page; every page but the last is full."""
        cursor = ""
        while True:
            page = self.get(f"{path}?limit={limit}{cursor}").json()
            assert set(page) == {"object", "data", "next_cursor"}
            assert page["object"] == "list"
            yield from page["data"]
            if page["next_cursor"] is None:
                return
            assert len(page["data"]) == limit
            cursor = f"&cursor={page['next_cursor']}"

    def explain(self, explainer: str, instances: list[Any], **request: object) -> Json:
        answer = self.post(f"/v1/explainers/{explainer}/explanations", {"instances": instances, **request})
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found


@dataclass(frozen=True)
class Registered:
    """A model with its rows, prototypes of them, and an explainer."""

    fitted: FittedModel
    model: Json
    dataset: Json
    prototype_set: Json
    explainer: Json

    @property
    def names(self) -> list[str]:
        return list(self.fitted.rows.names)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the model, its rows, its prototypes and its explainer."""
        return (
            f"/v1/models/{self.model['id']}",
            f"/v1/datasets/{self.dataset['id']}",
            f"/v1/prototype-sets/{self.prototype_set['id']}",
            f"/v1/explainers/{self.explainer['id']}",
        )

    def instance(self, row: int) -> Json:
        """Return a row as an instance."""
        return dict(zip(self.names, self.fitted.features[row].tolist(), strict=True))


_PATHS_OF_REGISTERED: dict[tuple[str, ...], tuple[str, ...]] = {}  # by service and by what was registered


def register(api: Api, name: str, ensemble: str = "random_forest", **request: object) -> Registered:
    """Register one of the small fitted models and all that it takes to explain it; what is there is looked up."""
    key = (str(api.http.base_url), name, ensemble, repr(sorted(request.items())))
    known = [api.get(path) for path in _PATHS_OF_REGISTERED.get(key, ())]
    if known and all(answer.is_success for answer in known):
        return Registered(fitted(name), *(answer.json() for answer in known))
    made = register_fitted(api, fitted(name), ensemble, **request)
    _PATHS_OF_REGISTERED[key] = made.paths
    return made


def _uploaded(api: Api, path: str, data: bytes, metadata: Mapping[str, object]) -> httpx.Response:
    """Return the answer to an upload that is taken; a machine that is too busy says so, and when to come again."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while (answer := api.upload(path, data, metadata)).status_code == httpx.codes.SERVICE_UNAVAILABLE:
        assert time.monotonic() < until, answer.text
        time.sleep(float(answer.headers["Retry-After"]))
    assert answer.status_code in {200, 201}, answer.text
    return answer


def register_fitted(api: Api, model: FittedModel, ensemble: str, **request: object) -> Registered:
    """Register a fitted model and all that it takes to explain it."""
    names = list(model.rows.names)
    registered = _uploaded(api, "/v1/models", model.onnx, {"feature_names": names, "ensemble": ensemble})
    dataset = _uploaded(api, "/v1/datasets", csv_of(frame_of(model)), {"target": "t"})
    model_id, dataset_id = registered.json()["id"], dataset.json()["id"]
    made = api.make(**{"model": model_id, "dataset": dataset_id, "n_prototypes": 8, **request})
    assert made["status"] == "ready", made["problem"]
    explainer = api.post("/v1/explainers", {"model": model_id, "prototype_set": made["id"]})
    assert explainer.status_code in {200, 201}, explainer.text
    return Registered(model, registered.json(), dataset.json(), made, explainer.json())


def frame_of(model: FittedModel) -> pd.DataFrame:
    """Return a model's rows as a table, with the target as ``t``."""
    return pd.DataFrame(model.features.astype(np.float64), columns=list(model.rows.names)).assign(t=model.target)


def csv_of(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def parquet_of(frame: pd.DataFrame) -> bytes:
    target = io.BytesIO()
    frame.to_parquet(target, index=False)
    return target.getvalue()
