"""Repetitions as JSON lines, written one by one: a run that was stopped goes on where the file ends."""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from .experiment import Repetition, Setting, repeat


def run(setting: Setting, n_repetitions: int, path: Path) -> None:
    """Make the repetitions of seeds 0, 1, … that the file lacks, and add them to it."""
    known = {one.seed for one in read(setting, path)}
    for seed in range(n_repetitions):
        if seed not in known:
            start = time.perf_counter()
            repetition = repeat(setting, seed)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"setting": setting.name, **asdict(repetition)}) + "\n")
            print(f"{setting.title}, seed {seed}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


def read(setting: Setting, path: Path) -> list[Repetition]:
    """Return the repetitions of a setting that the file has, by seed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    written = [json.loads(line) for line in lines]
    own = [Repetition(one["seed"], one["found"], one["accuracy"]) for one in written if one["setting"] == setting.name]
    return sorted(own, key=lambda one: one.seed)
