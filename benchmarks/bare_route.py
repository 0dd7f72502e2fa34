"""The baseline of the hot path: a route that runs an ONNX model on one row, and nothing else.

It is as fast as such a route gets with the same server: Starlette without a framework above it, orjson, no check of
what is sent. ``python -m benchmarks.bare_route MODEL.onnx PORT``
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def create_app(model: bytes) -> Starlette:
    """Return the app; the route is ``async`` and calls onnxruntime on the event loop, as is fastest."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    async def predict(request: Request) -> Response:
        instances = orjson.loads(await request.body())["instances"]
        labels, probabilities = session.run(None, {name: np.array(instances, dtype=np.float32)})
        answer = {"labels": labels, "probabilities": probabilities}
        return Response(orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")

    return Starlette(routes=[Route("/predictions", predict, methods=["POST"])])


if __name__ == "__main__":
    app = create_app(Path(sys.argv[1]).read_bytes())
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning", access_log=False)
