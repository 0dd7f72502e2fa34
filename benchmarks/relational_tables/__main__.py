"""Table 2 of Van Assche & Blockeel (2007) done again: accuracies and model sizes, beside the paper's.

``python -m benchmarks.relational_tables [--repeats N] [--grid-repeats N] [--jobs N] [--json FILE] > FILE``
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from itertools import repeat
from pathlib import Path

from benchmarks.machine import describe_machine

from .folds import Figure, fold_figures
from .printed import printed
from .studies import Study, carcinogenesis, mutagenesis, readings, trains

N_FOLDS = 5


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10, help="5-fold cross-validations of the main readings")
    parser.add_argument("--grid-repeats", type=int, default=2, help="of all other readings")
    parser.add_argument("--jobs", type=int, default=2, help="folds at once")
    parser.add_argument(
        "--json", type=Path, help="where to write every figure; studies that it holds are not run again"
    )
    parser.add_argument("--tables-of", type=Path, help="run nothing: print the tables of what --json wrote")
    arguments = parser.parse_args()
    figures = _read(arguments.tables_of) if arguments.tables_of else _run(arguments)
    print("\n".join(printed(figures, describe_machine())))


def _read(path: Path) -> list[Figure]:
    return [Figure(**figure) for figure in json.loads(path.read_text(encoding="utf-8"))]


def _run(arguments: argparse.Namespace) -> list[Figure]:
    found = _read(arguments.json) if arguments.json and arguments.json.exists() else []
    known = {figure.study for figure in found}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for study, n_repeats in _work(arguments.repeats, arguments.grid_repeats):
            if study.title not in known:
                found += _measured(pool, study, n_repeats)
                _write(found, arguments.json)
    return found


def _work(n_repeats: int, n_grid_repeats: int) -> Iterator[tuple[Study, int]]:
    """Yield the studies, those that matter most first."""
    main, nearest = (carcinogenesis("gain", bins=True, look_ahead=look_ahead) for look_ahead in (False, True))
    again = carcinogenesis("gain", bins=True, look_ahead=False, draws_again=True)
    others = [study for study in readings() if study.title not in {main.title, nearest.title}]
    yield from ((study, n_repeats) for study in (main, nearest))
    shares = [carcinogenesis("gain", bins=True, look_ahead=False, share=share) for share in (0.5, 0.75)]
    yield from ((study, n_grid_repeats) for study in (again, *shares, *others))
    yield from ((study, n_repeats) for study in (mutagenesis(aggregates=False), trains()))
    yield mutagenesis(aggregates=True), n_grid_repeats


def _write(figures: list[Figure], path: Path | None) -> None:
    if path is not None:
        lines = ",\n".join(json.dumps(asdict(figure)) for figure in figures)
        path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _measured(pool: ProcessPoolExecutor, study: Study, n_repeats: int) -> Iterator[Figure]:
    places: Sequence[tuple[int, int]] = [(again, fold) for again in range(n_repeats) for fold in range(N_FOLDS)]
    for figures in pool.map(fold_figures, repeat(study), *zip(*places, strict=True)):
        yield from figures


if __name__ == "__main__":
    main()
