"""Every bad input and its kin sent to a real service, one after another, while another client explains single rows.

The kin are variants of each class of bad file (``tests/support/bad_models.py``, ``bad_datasets.py``). For each class:
how many there are, how many were not answered as they should be, and the slowest answer, from the first byte sent.
Then the explanations (open loop, a row each) before and meanwhile, and what the API process has grown by.
``python -m benchmarks.bad_inputs``
"""

import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.support.api import Api, register
from tests.support.bad_datasets import bad_datasets
from tests.support.bad_inputs import BadInputSender, expected_answers, is_expected
from tests.support.bad_models import bad_models
from tests.support.serving import Service, serving
from tests.support.shared import shared_path

from .http_load import Load, post_request, run_open_load
from .machine import describe_machine

PER_SECOND, SEGMENT_SECONDS, SECONDS_BEFORE = 40.0, 4.0, 12.0
MOST_SECONDS, MOST_GROWTH_MEBIBYTES = 10.0, 200


class Tried(NamedTuple):
    """One file's answer."""

    group: str
    name: str
    seconds: float
    is_as_expected: bool


def main() -> None:
    """Send, measure and print."""
    print(describe_machine())
    environment = {"LEAFSPACE_BODY_SECONDS": "5", "LEAFSPACE_WORKER_NICENESS": "0"}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data", **environment) as service:
        api = Api(service.url)
        forest = register(api, "random_forest_binary")
        sender = BadInputSender(api, service.port, forest.model["id"], forest.explainer["id"])
        body = json.dumps({"instances": [forest.instance(0)]}).encode()
        path = f"/v1/explainers/{forest.explainer['id']}/explanations"
        request = post_request("127.0.0.1", service.port, path, body)
        before = run_open_load("127.0.0.1", service.port, request, per_second=PER_SECOND, seconds=SECONDS_BEFORE)
        pids, resident = service.children(), _resident_mebibytes(service)
        tried, loads = _send_all(sender, service.port, request)
        _print_groups(tried)
        _print_load("explanations before", [before])
        _print_load("explanations meanwhile", loads)
        grown = _resident_mebibytes(service) - resident
        print(f"API process: {resident:.0f} MiB before, {grown:+.0f} MiB after (limit {MOST_GROWTH_MEBIBYTES})")
        assert service.children() == pids
        assert grown < MOST_GROWTH_MEBIBYTES
        assert all(each.is_as_expected and each.seconds < MOST_SECONDS for each in tried)


def _send_all(sender: BadInputSender, port: int, request: bytes) -> tuple[list[Tried], list[Load]]:
    """Send everything; another process requests explanations meanwhile."""
    loads: list[Load] = []
    tried: list[Tried] = []
    with ProcessPoolExecutor(1) as pool:
        load = _start_load(pool, port, request)
        for each in _answers(sender):
            tried.append(each)
            if load.done():
                loads.append(load.result())
                load = _start_load(pool, port, request)
        loads.append(load.result())
    return tried, loads


def _start_load(pool: ProcessPoolExecutor, port: int, request: bytes) -> "Future[Load]":
    return pool.submit(run_open_load, "127.0.0.1", port, request, per_second=PER_SECOND, seconds=SEGMENT_SECONDS)


def _answers(sender: BadInputSender) -> Iterator[Tried]:
    for name, wanted in expected_answers().items():
        data = shared_path(f"badinputs/{name}").read_bytes()
        began = time.perf_counter()
        answers = sender.send(name, data, wanted["endpoint"])
        seconds = (time.perf_counter() - began) / len(answers)
        yield Tried("shared files", name, seconds, all(is_expected(name, answer, wanted) for answer in answers))
    for path, files in (("/v1/models", bad_models()), ("/v1/datasets", bad_datasets())):
        for name, (data, codes) in files.items():
            began = time.perf_counter()
            status, body = sender.upload(path, name, data)
            seconds = time.perf_counter() - began
            code = body["code"] if status >= 400 else "taken"
            noun = path.rpartition("/")[2]
            yield Tried(f"{noun}: {name.partition('_')[0]}", name, seconds, status < 500 and code in codes)


def _print_groups(tried: list[Tried]) -> None:
    groups: defaultdict[str, list[Tried]] = defaultdict(list)
    for each in tried:
        groups[each.group].append(each)
    print(f"{'class':<24} {'files':>5} {'unexpected':>10} {'slowest':>8}")
    for group, members in sorted(groups.items()):
        slowest = max(members, key=lambda each: each.seconds)
        n_unexpected = sum(not each.is_as_expected for each in members)
        print(f"{group:<24} {len(members):>5} {n_unexpected:>10} {slowest.seconds:>6.2f} s  {slowest.name}")
    unexpected = [each.name for each in tried if not each.is_as_expected]
    print(f"{len(tried)} files, {len(unexpected)} unexpected answers {' '.join(unexpected)}")


def _print_load(what: str, loads: list[Load]) -> None:
    milliseconds = np.concatenate([load.latencies for load in loads]) * 1000
    p50, p99 = np.quantile(milliseconds, [0.5, 0.99])
    print(f"{what}: {len(milliseconds):,} at {PER_SECOND:.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms")


def _resident_mebibytes(service: Service) -> float:
    status = Path(f"/proc/{service.children()['api']}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
