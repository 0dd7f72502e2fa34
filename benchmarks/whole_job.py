"""50 prototypes of MNIST 4 vs 9 over HTTP, with nothing left out: from the request to the result that callers read.

11,791 rows, 784 columns, 1,000 unrestricted trees of scikit-learn. The first request has the model walk the rows, and
later ones (of another seed) read the leaves that the first one kept. Each checkout that is named serves in turns, in a
data directory of its own, with the same model and rows; times of a job are counted from the request, its waiting for a
worker included, to the whole result at the caller. The shortest of the turns is printed, and the ratio to the last
checkout, which is this one.

``python -m benchmarks.whole_job [turns [checkout …]]``, a checkout being the folder of an earlier version, such as
``git worktree add ../before 87a37965`` makes it, with an environment of its own in ``.venv`` (``make setup``). All are
called by plain HTTP, which has changed less than the clients.
"""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import chdir
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.models import ConvertedModel
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path

from .machine import describe_machine
from .serving import served

N_TREES, N_PROTOTYPES, N_TURNS, TO_REACH = 1_000, 50, 3, 3.5
_WAIT = {"Prefer": "wait=60"}  # for the job, as the SDK does: looks would take part of what is measured
_HERE = Path(__file__).parents[1]


def main() -> None:
    """Measure and print."""
    n_turns = int(sys.argv[1]) if len(sys.argv) > 1 else N_TURNS
    checkouts = [*(Path(folder).resolve() for folder in sys.argv[2:]), _HERE]
    print(describe_machine())
    for checkout in checkouts:
        # Or the first job would wait for the compiler.
        warm = [_python_of(checkout), "-m", "leafspace", "warm"]
        subprocess.run(warm, check=True, stdout=subprocess.DEVNULL, cwd=checkout)
    features, target = _digits()
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=-1).fit(features, target)
    rows = pd.DataFrame(features, columns=[f"pixel_{column}" for column in range(features.shape[1])])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        rows.assign(digit=target).to_parquet(path, index=False)
        uploads = _uploads(convert_model(forest, rows), path)
        turns = [[_turn(checkout, uploads) for checkout in checkouts] for _ in range(n_turns)]
    for name, seconds in zip(("first", "leaves kept"), np.array(turns).min(axis=0).T, strict=True):
        each = ", ".join(f"{taken:.2f} s" for taken in seconds)
        ratios = ", ".join(f"{taken / seconds[-1]:.2f}" for taken in seconds[:-1])
        print(f"{name}: {each}" + (f" ({ratios} x this one)" if ratios else "") + f"; to reach: {TO_REACH} s")


def _digits() -> tuple[Any, Any]:
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as images:
        which = np.isin(images["y_train"], (4, 9))
        return images["X_train"][which].reshape(which.sum(), -1).astype(np.float32), images["y_train"][which]


def _uploads(model: ConvertedModel, rows: Path) -> dict[str, dict[str, Any]]:
    """Return what is uploaded, by noun."""
    of_model, of_rows = json.dumps(model.metadata()), json.dumps({"target": "digit"})
    return {
        "models": {"file": ("model.onnx", model.onnx), "metadata": (None, of_model)},
        "datasets": {"file": (rows.name, rows.read_bytes()), "metadata": (None, of_rows)},
    }


def _turn(checkout: Path, uploads: dict[str, dict[str, Any]]) -> tuple[float, float]:
    """Return the seconds of the first request and of the next one."""
    with chdir(checkout), served(python=_python_of(checkout)) as url, httpx.Client(timeout=600) as session:
        made = {noun: _answer(session.post(f"{url}/v1/{noun}", files=parts)) for noun, parts in uploads.items()}
        request = {"model": made["models"]["id"], "dataset": made["datasets"]["id"], "n_prototypes": N_PROTOTYPES}
        found = [_seconds(session, f"{url}/v1", {**request, "seed": seed}) for seed in range(3)]
    print(f"{checkout.name}: " + ", ".join(f"{seconds:.2f} s" for seconds in found), flush=True)
    return found[0], min(found[1:])


def _seconds(session: httpx.Client, root: str, request: dict[str, Any]) -> float:
    start = time.perf_counter()
    made = _answer(session.post(f"{root}/prototype-sets", json=request))
    while made["status"] == "pending":
        _answer(session.get(f"{root}/jobs/{made['job']}", headers=_WAIT))
        made = _answer(session.get(f"{root}/prototype-sets/{made['id']}"))
    assert len(made["result"]["prototypes"]) == N_PROTOTYPES
    return time.perf_counter() - start


def _answer(response: httpx.Response) -> dict[str, Any]:
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer


def _python_of(checkout: Path) -> str:
    return sys.executable if checkout == _HERE else str(checkout / ".venv" / "bin" / "python")


if __name__ == "__main__":
    main()
