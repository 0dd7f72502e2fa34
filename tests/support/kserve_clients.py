"""A program that calls a service with the clients of KServe and Triton, in the environment that has them.

It reads one JSON object from its standard input, and writes what the clients returned as another.
"""

import asyncio
import json
import sys
from typing import Any

import numpy as np
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig
from kserve.protocol.infer_type import RequestedOutput
from tritonclient import http as triton
from tritonclient.utils import InferenceServerException

_FP64 = "FP64"
_OUTPUTS = ("label", "scores", "explanation")


def main() -> None:
    given = json.loads(sys.stdin.read())
    found = {"triton": _triton(given), "kserve": asyncio.run(_kserve(given))}
    json.dump(found, sys.stdout)


def _triton(given: dict[str, Any]) -> dict[str, Any]:
    client, name = triton.InferenceServerClient(given["url"].removeprefix("http://")), given["name"]
    requested = [triton.InferRequestedOutput("explanation"), triton.InferRequestedOutput("label", binary_data=False)]
    return {
        "live": client.is_server_live(),
        "ready": client.is_server_ready(),
        "model_ready": client.is_model_ready(name),
        "version_ready": client.is_model_ready(name, given["explainer"]),
        "nobody_ready": client.is_model_ready("nobody"),
        "server": client.get_server_metadata(),
        "model": client.get_model_metadata(name),
        "json": _tensors(client.infer(name, _inputs(given, is_binary=False), outputs=_all(is_binary=False))),
        "binary": _tensors(client.infer(name, _inputs(given, is_binary=True))),
        "version": _tensors(client.infer(name, _inputs(given, is_binary=True), model_version=given["explainer"])),
        "some": client.infer(name, _inputs(given, is_binary=True), outputs=requested, request_id="7").get_response(),
        "one_prototype": _tensors(
            client.infer(name, _inputs(given, is_binary=True), parameters={"n_prototypes": 1}),
        ),
        "errors": [
            _error(lambda: client.infer("nobody", _inputs(given, is_binary=True))),
            _error(lambda: client.infer(name, _inputs(given, is_binary=True), model_version="xpl_gone")),
            _error(lambda: client.infer(name, _inputs(given, is_binary=True)[1:])),
            _error(lambda: client.infer(name, _inputs(given, is_binary=True), parameters={"n_prototypes": 0})),
        ],
    }


def _inputs(given: dict[str, Any], *, is_binary: bool) -> list[Any]:
    inputs = []
    for column, values in given["columns"].items():
        array = _array(values)
        tensor = triton.InferInput(column, list(array.shape), _FP64 if array.dtype == np.float64 else "BYTES")
        inputs.append(tensor.set_data_from_numpy(array, binary_data=is_binary))
    return inputs


def _array(values: list[Any]) -> Any:  # of either type
    is_text = isinstance(values[0], str)
    return np.array(values, dtype=object if is_text else np.float64).reshape(-1, 1)


def _all(*, is_binary: bool) -> list[Any]:
    return [triton.InferRequestedOutput(name, binary_data=is_binary) for name in _OUTPUTS]


def _tensors(result: Any) -> dict[str, Any]:  # of either client
    return {name: _plain(result.as_numpy(name)) for name in _OUTPUTS}


def _plain(array: Any) -> Any:  # an array of any type
    return [[value.decode() if isinstance(value, bytes) else value for value in row] for row in array.tolist()]


def _error(call: Any) -> tuple[str, str]:  # any call
    try:
        call()
    except InferenceServerException as error:
        return error.status(), error.message()
    return "no error", ""


async def _kserve(given: dict[str, Any]) -> dict[str, Any]:
    url, name = given["url"], given["name"]
    first, second = (InferenceRESTClient(RESTConfig(protocol=protocol)) for protocol in ("v1", "v2"))
    rows = {"instances": given["instances"]}
    return {
        "v1": {
            "ready": await first.is_model_ready(url, name),
            "predictions": await first.infer(url, rows, model_name=name),
            "explanations": await first.explain(url, name, {**rows, "n_prototypes": 2}),
            "error": await _http_error(first.explain(url, "nobody", rows)),
        },
        "v2": {
            "live": await second.is_server_live(url),
            "ready": await second.is_server_ready(url),
            "model_ready": await second.is_model_ready(url, name),
            "json": _named(await second.infer(url, _request(given, is_binary=False), model_name=name)),
            "binary": _named(await second.infer(url, _request(given, is_binary=True), model_name=name)),
            "error": await _http_error(second.infer(url, _request(given, is_binary=True), model_name="nobody")),
        },
    }


def _request(given: dict[str, Any], *, is_binary: bool) -> InferRequest:
    inputs = []
    for column, values in given["columns"].items():
        array = _array(values)
        tensor = InferInput(column, list(array.shape), _FP64 if array.dtype == np.float64 else "BYTES")
        tensor.set_data_from_numpy(array, binary_data=is_binary)
        inputs.append(tensor)
    outputs = [RequestedOutput(name, {"binary_data": is_binary}) for name in _OUTPUTS]
    return InferRequest(given["name"], inputs, request_outputs=outputs)


def _named(response: Any) -> dict[str, Any]:  # of KServe's
    return {output.name: _plain(output.as_numpy()) for output in response.outputs}


async def _http_error(call: Any) -> str:  # any coroutine
    try:
        await call
    except Exception as error:  # noqa: BLE001  # whatever the client makes of the answer
        return str(error)
    return "no error"


if __name__ == "__main__":
    main()
