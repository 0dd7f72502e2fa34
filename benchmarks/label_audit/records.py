"""Repetitions as JSON lines, written one by one: a run goes on where the file ends, and makes what orders it lacks."""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from .experiment import Repetition, Setting, names_of, repeat


def run(setting: Setting, n_repetitions: int, path: Path) -> None:
    """Make the repetitions of seeds 0, 1, …, or those of their orders, that the file lacks, and add them to it."""
    known = {one.seed: set(one.found) for one in read(setting, path)}
    for seed in range(n_repetitions):
        if not known.get(seed, set()) >= set(names_of(setting)):
            start = time.perf_counter()
            repetition = repeat(setting, seed, known.get(seed, set()))
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"setting": setting.name, **asdict(repetition)}) + "\n")
            print(f"{setting.title}, seed {seed}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


def read(setting: Setting, path: Path) -> list[Repetition]:
    """Return the repetitions of a setting that the file has, by seed; lines of the same one are put together."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    written = [json.loads(line) for line in lines]
    by_seed: dict[int, Repetition] = {}
    for one in written:
        if one["setting"] == setting.name:
            repetition = by_seed.setdefault(one["seed"], Repetition(one["seed"], {}, {}))
            repetition.found.update(one["found"])
            repetition.accuracy.update(one["accuracy"])
    return [by_seed[seed] for seed in sorted(by_seed)]
