"""A test file that takes more of processors than its budget is named; seconds are those of the processes it started."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.check_test_seconds import Budgets, slowness
from tests.support.processor_seconds import processor_seconds
from tests.support.record_seconds import measured_seconds

_HERE = "tests/scripts/test_check_test_seconds.py"
_TURNING = "import time\nwhile time.process_time() < {}: pass\nprint('turned', flush=True)\ninput()"
_RUN = f"""
<testsuites><testsuite>
  <testcase classname="{_HERE.removesuffix(".py").replace("/", ".")}" name="test_a" time="60">
    <properties><property name="processor_seconds" value="1.5"/></properties>
  </testcase>
  <testcase classname="{_HERE.removesuffix(".py").replace("/", ".")}" name="test_b[1]" time="60">
    <properties><property name="other" value="9"/><property name="processor_seconds" value="2.25"/></properties>
  </testcase>
  <testcase classname="tests.scripts.test_skipped" name="test_c" time="60"/>
</testsuite></testsuites>
"""


def test_seconds_of_a_run_are_summed_by_file_and_those_of_a_clock_do_not_count(tmp_path: Path) -> None:
    run = tmp_path / "run.xml"
    run.write_text(_RUN)

    assert measured_seconds(str(run)) == {_HERE: 3.75, "tests/scripts/test_skipped.py": 0.0}


@pytest.mark.parametrize(
    ("budgets", "named"),
    [
        (Budgets(10, 4, {}), []),
        (Budgets(10, 3, {}), [f"{_HERE} took 3.8 s of processors, more than its 3"]),
        (Budgets(10, 3, {_HERE: 5}), []),
        (Budgets(3, 4, {}), ["all files took 4 s of processors, more than the 3 for them"]),
        (Budgets(10, 4, {"tests/none.py": 5}), ["tests/none.py is no file: take it out of tests/slow.toml"]),
    ],
    ids=["within", "over", "slow", "all", "gone"],
)
def test_what_is_over_its_budget_is_named(budgets: Budgets, named: list[str]) -> None:
    sentences = budgets.excesses({_HERE: 3.75})

    assert [sentence.startswith(start) for sentence, start in zip(sentences, named, strict=True)] == [True] * len(named)


def test_the_budgets_of_the_project_have_reasons_and_files() -> None:
    assert Budgets.of(Path(__file__).parents[1] / "slow.toml").excesses({}) == []


def test_a_machine_is_as_slow_as_most_of_the_recorded_files_say_and_never_faster() -> None:
    recorded = {"a.py": 2.0, "b.py": 4.0, "c.py": 5.0, "gone.py": 9.0}
    assert slowness({"a.py": 5.0, "b.py": 10.0, "c.py": 100.0, "new.py": 90.0}, recorded) == 2.5
    assert slowness({"a.py": 1.0, "b.py": 1.0, "c.py": 20.0}, recorded) == 1
    assert slowness({"new.py": 90.0}, recorded) == 1


def test_processes_count_while_they_run_and_when_they_have_ended() -> None:
    before = processor_seconds()
    with subprocess.Popen(  # ours
        [sys.executable, "-c", _TURNING.format(0.5)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        running = processor_seconds() - before
        process.communicate(b"\n")
    ended = processor_seconds() - before

    assert running >= 0.4
    assert running <= ended < running + 0.4
