import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.label_audit import experiment, records
from benchmarks.label_audit.experiment import (
    CHANCE,
    DEFAULT,
    FIRST,
    MAIN,
    SETTINGS,
    VOTE,
    Repetition,
    Setting,
    Task,
    names_of,
)
from benchmarks.label_audit.report import reading, tables


def test_a_run_that_was_stopped_goes_on_where_its_file_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, int]] = []

    def repeat(setting: Setting, seed: int, known: Collection[str]) -> Repetition:
        made.append((setting.name, seed))
        figures = {name: [0.0, seed / 10] for name in names_of(setting) if name not in known}
        return Repetition(seed, figures, figures)

    monkeypatch.setattr(records, "repeat", repeat)
    path = tmp_path / "audit.jsonl"
    records.run(SETTINGS[0], 2, path)
    records.run(SETTINGS[1], 1, path)

    records.run(SETTINGS[0], 3, path)

    assert made == [("3000", 0), ("3000", 1), ("variants", 0), ("3000", 2)]
    assert [one.found[FIRST][1] for one in records.read(SETTINGS[0], path)] == [0.0, 0.1, 0.2]
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 4


def test_orders_that_a_repetition_lacks_are_added_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def repeat(setting: Setting, seed: int, known: Collection[str]) -> Repetition:
        assert (setting, known) == (SETTINGS[0], set(MAIN) - {DEFAULT})
        return Repetition(seed, {DEFAULT: [0.0, 0.2]}, {DEFAULT: [0.5, 0.9]})

    monkeypatch.setattr(records, "repeat", repeat)
    path, figures = tmp_path / "audit.jsonl", {name: [0.0, 0.1] for name in MAIN if name != DEFAULT}
    path.write_text(json.dumps({"setting": "3000", "seed": 0, "found": figures, "accuracy": figures}) + "\n")

    records.run(SETTINGS[0], 1, path)

    (found,) = records.read(SETTINGS[0], path)
    assert set(found.found) == set(found.accuracy) == set(MAIN)
    assert found.found[DEFAULT] == [0.0, 0.2]


@pytest.mark.long
def test_flipped_labels_are_found_by_the_vote_of_all_rows_sooner_than_by_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, 300)
    features = (classes[:, None] + rng.normal(0, 0.5, (300, 5))).astype(np.float32)
    is_flipped = np.arange(300) % 3 == 0
    task = Task(features, np.where(is_flipped, 1 - classes, classes), is_flipped, features, classes)
    monkeypatch.setattr(experiment, "_sampled", lambda _seed: task)
    setting = Setting("small", "A small one", 1, 50, 5, is_whole=False, has_variants=False)

    repetition = experiment.repeat(setting, 0)

    assert set(repetition.accuracy) == set(MAIN) == set(repetition.found)
    assert repetition.found[FIRST][-1] == pytest.approx(0.9)
    assert min(repetition.found[DEFAULT][-1], repetition.found[VOTE][-1]) > 0.7 > repetition.found[CHANCE][-1]
    assert "1 repetitions" in next(reading([(setting, [repetition])]))
    assert sum(line.startswith(f"| {DEFAULT} ") for line in tables(setting, [repetition])) == 2
    with_variants = replace(setting, has_variants=True)
    of_variants = experiment.repeat(with_variants, 0)
    assert tuple(of_variants.found) == names_of(with_variants)
    assert of_variants.accuracy == {}
