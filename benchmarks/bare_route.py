"""The baseline of the hot path: a FastAPI route that runs an ONNX model on one row, and nothing else.

``python -m benchmarks.bare_route MODEL.onnx PORT``
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel


class Request(BaseModel):
    """Rows to predict."""

    instances: list[list[float]]


class Answer(BaseModel):
    """The model's labels and probabilities."""

    labels: list[int]
    probabilities: list[list[float]]


def create_app(model: bytes) -> FastAPI:
    """Return the app; the route is ``async`` and calls onnxruntime on the event loop, as is fastest."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    app = FastAPI()

    @app.post("/predictions")
    async def predict(request: Request) -> Answer:
        labels, probabilities = session.run(None, {name: np.array(request.instances, dtype=np.float32)})
        return Answer(labels=labels.tolist(), probabilities=probabilities.tolist())

    return app


if __name__ == "__main__":
    app = create_app(Path(sys.argv[1]).read_bytes())
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning", access_log=False)
