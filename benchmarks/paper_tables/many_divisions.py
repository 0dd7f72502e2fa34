"""How low breast_cancer comes by chance: Tan et al. (2020), table 1, for many divisions of the one dataset.

The tables have ten, which say little of how rare a low figure is. Everything else is as there.
``nice -n 5 python -m benchmarks.paper_tables.many_divisions --json benchmarks/results/breast_cancer_divisions.json``
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .runs import MODELS, Run, as_json, from_json, tan_column
from .spread import Divisions
from .tables import Many
from .tan_data import tan_split

DATASET = "breast_cancer"
_N_DIVISIONS = 60


def main() -> None:
    """Run the requested number of divisions, and write what came of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--divisions", type=int, default=_N_DIVISIONS)
    parser.add_argument("--json", type=Path, required=True, help="where to write every run")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["random_forest"])
    arguments = parser.parse_args()
    done: list[Run] = []
    for runs in _divisions(arguments.models, arguments.divisions):
        done += runs
        lines = ",\n".join(json.dumps(as_json(run)) for run in done)  # written again each time: it may be stopped
        arguments.json.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def divisions_from(path: Path) -> Many:
    """Return the balanced accuracies that ``main`` wrote; sizes are those chosen on validation rows."""
    found: Many = {}
    for run in map(from_json, json.loads(path.read_text(encoding="utf-8"))):
        if run.cell.chosen != "test":
            of_cell = found.setdefault((DATASET, run.cell.model, run.cell.method), Divisions([]))
            of_cell.scores.append(run.scores.balanced_accuracy or 0.0)
    return found


def _divisions(models: list[str], n_divisions: int) -> Iterator[list[Run]]:
    """Yield what came of each division."""
    for model in models:
        for seed in range(n_divisions):
            split, start = tan_split(DATASET, seed), time.perf_counter()
            yield list(tan_column(DATASET, model, MODELS[model](split, seed), split, seed))
            print(f"{DATASET} {model} seed {seed}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
