"""50 prototypes of MNIST 4 vs 9 over HTTP, with nothing left out: from the request to the result that callers read.

11,791 rows, 784 columns, 1,000 unrestricted trees of scikit-learn. The first request has the model walk the rows, and
later ones (of another seed) read the leaves that the first one kept. Each checkout that is named serves in turns, in a
data directory of its own, with the same model and rows; times of a job are counted from the request, its waiting for a
worker included, to the whole result at the caller. The shortest of the turns is printed, and the ratio to the last
checkout, which is this one.

``python -m benchmarks.whole_job [turns [checkout …]]``, a checkout being the folder of an earlier version, such as
``git worktree add ../before f1a8a902`` makes it, with an environment of its own in ``.venv`` (``make setup``). This
version's client asks all of them.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path

from .machine import describe_machine
from .serving import served

N_TREES, N_PROTOTYPES, N_TURNS, TO_REACH = 1_000, 50, 3, 3.5
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
        turns = [[_turn(checkout, forest, rows, path) for checkout in checkouts] for _ in range(n_turns)]
    for name, seconds in zip(("first", "leaves kept"), np.array(turns).min(axis=0).T, strict=True):
        each = ", ".join(f"{taken:.2f} s" for taken in seconds)
        ratios = ", ".join(f"{taken / seconds[-1]:.2f}" for taken in seconds[:-1])
        print(f"{name}: {each}" + (f" ({ratios} x this one)" if ratios else "") + f"; to reach: {TO_REACH} s")


def _digits() -> tuple[Any, Any]:
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as images:
        which = np.isin(images["y_train"], (4, 9))
        return images["X_train"][which].reshape(which.sum(), -1).astype(np.float32), images["y_train"][which]


def _turn(checkout: Path, forest: RandomForestClassifier, rows: pd.DataFrame, path: Path) -> tuple[float, float]:
    """Return the seconds of the first request and of the next one."""
    with chdir(checkout), served(python=_python_of(checkout)) as url, Leafspace(url) as client:
        model = client.register_model(forest, X=rows, name="4 or 9")
        dataset = client.register_dataset(path, target="digit")
        found = [_seconds(client, model, dataset, seed) for seed in range(3)]
    print(f"{checkout.name}: " + ", ".join(f"{seconds:.2f} s" for seconds in found), flush=True)
    return found[0], min(found[1:])


def _seconds(client: Leafspace, model: Any, dataset: Any, seed: int) -> float:  # noqa: ANN401  # of the SDK
    start = time.perf_counter()
    made = client.prototype_sets.create(model, dataset, n_prototypes=N_PROTOTYPES, seed=seed).wait(progress=False)
    assert len(made.result.prototypes) == N_PROTOTYPES
    return time.perf_counter() - start


def _python_of(checkout: Path) -> str:
    return sys.executable if checkout == _HERE else str(checkout / ".venv" / "bin" / "python")


if __name__ == "__main__":
    main()
