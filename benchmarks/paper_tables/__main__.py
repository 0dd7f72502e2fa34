"""Tan et al. (2020), table 1, and A-PETE (2024), table 2, done again.

Fitted ensembles' leaves are kept in a folder of the system's temporary directory, so that a second run is short.
``python -m benchmarks.paper_tables [--quick] [--json FILE] > FILE``
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

from benchmarks.machine import describe_machine

from .runs import apete_runs, as_json, tan_runs
from .tables import apete_table, by_cell, tan_table

_N_SEEDS = 5
_COMMAND = "python -m benchmarks.paper_tables --json benchmarks/results/paper_tables.json"


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one division of each dataset, one forest")
    parser.add_argument("--json", type=Path, help="where to write every run")
    asked = parser.parse_args()
    n_seeds = 1 if asked.quick else _N_SEEDS
    tan, apete = list(tan_runs(n_seeds)), list(apete_runs(n_seeds))
    if asked.json:
        lines = ",\n".join(json.dumps(as_json(run)) for run in tan + apete)
        asked.json.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print("# Two papers' tables, done again", _about(n_seeds), sep="\n\n")
    print("\n## Tan et al. (2020), table 1: balanced accuracy on test rows\n", _TAN, *tan_table(by_cell(tan)), sep="\n")
    print("\n## A-PETE (2024), table 2: accuracy on test rows\n", _APETE, "", *apete_table(by_cell(apete)), sep="\n")


def _about(n_seeds: int) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "pandas"))
    return (
        f"Made by `{_COMMAND} > benchmarks/results/paper_tables.md` on {describe_machine()}, {versions}; "
        f"{n_seeds} seed(s) for each cell, from 0 (Tan et al.) and 42 (A-PETE). Scores are mean ± standard deviation."
    )


_TAN = """\
"""
_APETE = """\
"""

if __name__ == "__main__":
    main()
