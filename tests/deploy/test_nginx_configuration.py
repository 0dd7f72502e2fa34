"""Sizes, times and paths of ``deploy/nginx.conf`` are the service's."""

import json
import re
from pathlib import Path

import pytest
import uvicorn

from service.settings import ServiceSettings
from tests.support.proxies import CONFIGURATION

_TEXT = CONFIGURATION.read_text()
_POSTED = [path for path, calls in json.loads(Path("openapi.json").read_text())["paths"].items() if "post" in calls]
_UNITS = {"g": 1 << 30, "m": 1 << 20, "s": 1}


def _values(directive: str) -> list[int]:
    """Return what a directive sets, in bytes or seconds, each time that it occurs."""
    return [int(number) * _UNITS[unit] for number, unit in re.findall(rf"\b{directive} (\d+)([gms]);", _TEXT)]


def test_bodies_may_be_as_large_as_the_service_takes() -> None:
    limits = [ServiceSettings.model_fields[name].default for name in ("max_dataset_bytes", "max_json_bytes")]

    assert _values("client_max_body_size") == limits


def test_the_proxy_closes_idle_connections_first() -> None:
    assert _values("keepalive_timeout")[0] < uvicorn.Config("").timeout_keep_alive


def test_the_proxy_waits_as_long_as_callers_may() -> None:
    assert _values("proxy_read_timeout")[0] > 60


@pytest.mark.parametrize("path", _POSTED)
def test_only_calls_that_change_nothing_are_repeated(path: str) -> None:
    (repeated,) = re.findall(r"location ~ (\S+) \{", _TEXT)
    computing = {"explanations", "predictions", "proximities", "places"}

    is_computing = path.rpartition("/")[2] in computing and path.rpartition("/")[0].endswith("}")
    assert bool(re.search(repeated, path)) == is_computing
