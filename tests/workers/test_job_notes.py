"""What jobs have loaded is loaded again when a worker starts."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from tree_explainers.compute.compiled import loaded_loops
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.rows_by_leaf import count_rows
from workers.runtime.job_notes import KeptNote, Note

_LOAD = """
import sys
from pathlib import Path
from tree_explainers.compute.compiled import loaded_loops, times_compiled
from tree_explainers.leaf_space import rows_by_leaf
from workers.runtime.job_notes import KeptNote
kept = KeptNote(Path(sys.argv[1]))
print(kept.read().load(), kept.read().load(), len(loaded_loops()), times_compiled())
"""


def test_a_process_loads_what_another_one_had_loaded_and_compiles_nothing(tmp_path: Path) -> None:
    LeafTable.from_leaves(np.zeros((8, 2), np.int32), np.array([1, 1]))
    loops = [loop for loop in loaded_loops() if loop[0].startswith(count_rows.__module__)]
    KeptNote(tmp_path).add(Note(loops, []))

    printed = subprocess.check_output([sys.executable, "-c", _LOAD, str(tmp_path)], text=True)

    assert loops
    assert printed.split() == ["True", "False", str(len(loops)), "0"]


def test_the_last_jobs_come_first_and_no_more_than_sixty_four_loops_are_kept(tmp_path: Path) -> None:
    kept = KeptNote(tmp_path)
    kept.add(Note([("loop", str(number)) for number in range(60)], ["Message", "Model"]))
    kept.add(Note([("loop", str(number)) for number in range(50, 70)], ["Model"]))

    loops, messages = kept.read()

    assert [int(types) for _, types in loops] == [*range(50, 70), *range(44)]
    assert messages == ["Model", "Message"]


def test_a_note_that_is_none_is_an_empty_one(tmp_path: Path) -> None:
    kept = KeptNote(tmp_path)
    before = kept.read()
    (tmp_path / "jobs.json").write_text('[[["no_such_loop", "types"], 3], {}]')

    assert before == kept.read() == KeptNote(None).read() == Note([], [])
    assert not Note([("no_such_loop", "types")], []).load()
