"""The baselines of the hot path: a route that runs an ONNX model on one row, and nothing else, in two frameworks.

``fastapi``: as such a route is usually written, with the framework of the service. ``starlette``: as fast as it gets
with the same server, with orjson and no check of what is sent. ``python -m benchmarks.bare_route KIND MODEL.onnx PORT``
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import orjson
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

Predict = Callable[[list[list[float]]], tuple[Any, Any]]


class Rows(BaseModel):
    """Rows to predict."""

    instances: list[list[float]]


class Answer(BaseModel):
    """The model's labels and probabilities."""

    labels: list[int]
    probabilities: list[list[float]]


def fastapi_app(predict: Predict) -> FastAPI:
    """Return the app; the route is ``async`` and predicts on the event loop, as is fastest."""
    app = FastAPI()

    @app.post("/predictions")
    async def predictions(request: Rows) -> Answer:
        labels, probabilities = predict(request.instances)
        return Answer(labels=labels.tolist(), probabilities=probabilities.tolist())

    return app


def starlette_app(predict: Predict) -> Starlette:
    """Return the app; nothing is checked."""

    async def predictions(request: Request) -> Response:
        labels, probabilities = predict(orjson.loads(await request.body())["instances"])
        answer = {"labels": labels, "probabilities": probabilities}
        return Response(orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")

    return Starlette(routes=[Route("/predictions", predictions, methods=["POST"])])


def _predictor(model: bytes) -> Predict:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def predict(instances: list[list[float]]) -> tuple[Any, Any]:
        labels, probabilities = session.run(None, {name: np.array(instances, dtype=np.float32)})
        return labels, probabilities

    return predict


APPS = {"fastapi": fastapi_app, "starlette": starlette_app}


if __name__ == "__main__":
    kind, path, port = sys.argv[1:]
    app = APPS[kind](_predictor(Path(path).read_bytes()))
    uvicorn.run(app, port=int(port), log_level="warning", access_log=False)
