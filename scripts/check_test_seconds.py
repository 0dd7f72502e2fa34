"""Compare what each test file took of processors in a run with its budget.

``python -m scripts.check_test_seconds RUN``, where RUN is what ``pytest --junitxml`` has written (`make test-seconds`
takes that of the last `make test`). ``tests/slow.toml`` has the budgets. Seconds of processors count, those of services
and workers that a test started included, so that a busy machine fails no budget. Nor does a slow one: seconds are
divided by how many times as long most of the recorded files (``tests/seconds_of_files.json``) take as they did on the
machine of the budgets.
"""

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Self

from tests.support.record_seconds import measured_seconds, seconds_of_files
from tests.support.sources import ROOT

_SLOW = ROOT / "tests" / "slow.toml"
_N_PRINTED = 10


@dataclass(frozen=True)
class Budgets:
    """What tests may take, in seconds of processors.

    Parameters
    ----------
    all_files
        What all files may take together.
    one_file
        What a file may take that is not among the slow ones.
    slow
        What each slow file may take, by its path in the project.
    """

    all_files: float
    one_file: float
    slow: Mapping[str, float]

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the budgets; each slow file has a reason (KeyError otherwise)."""
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        slow = {name: float(file["seconds"]) for name, file in table["slow"].items() if file["reason"]}
        return cls(table["all_files"], table["one_file"], slow)

    def excesses(self, seconds: Mapping[str, float]) -> list[str]:
        """Return a sentence for each budget that the seconds of files exceed, and for each that no file needs."""
        sentences = [
            f"{name} took {taken:.1f} s of processors, more than its {self._of(name):.0f}: make its tests cheaper, "
            "mark cases that repeat others as long, or name it with a reason in tests/slow.toml"
            for name, taken in sorted(seconds.items())
            if taken > self._of(name)
        ]
        unknown = sorted(name for name in self.slow if not (ROOT / name).is_file())
        sentences += [f"{name} is no file: take it out of tests/slow.toml" for name in unknown]
        total = sum(seconds.values())
        if total > self.all_files:
            sentences.append(f"all files took {total:.0f} s of processors, more than the {self.all_files:.0f} for them")
        return sentences

    def _of(self, name: str) -> float:
        return self.slow.get(name, self.one_file)


def slowness(seconds: Mapping[str, float], recorded: Mapping[str, float]) -> float:
    """Return how many times as long as recorded the files take, half of them longer; never less than 1.

    A plain loop would not do: on a machine that others use it is hardly slower, while tests, which move memory, are.
    """
    return max(1.0, median([taken / recorded[name] for name, taken in seconds.items() if name in recorded] or [1.0]))


def main() -> None:
    """Print what took most, and what is over its budget; end with 1 where something is."""
    measured = measured_seconds(sys.argv[1])
    times = slowness(measured, seconds_of_files())
    seconds = {name: taken / times for name, taken in measured.items()}
    sys.stdout.write(
        f"{sum(seconds.values()):.0f} s of processors for {len(seconds)} test files, of a machine on which they took "
        f"{times:.2f} times as long; most of it:\n"
    )
    dearest = sorted(seconds.items(), key=lambda item: -item[1])[:_N_PRINTED]
    sys.stdout.write("".join(f"{taken:7.1f} s  {name}\n" for name, taken in dearest))
    excesses = Budgets.of(_SLOW).excesses(seconds)
    sys.stderr.write("".join(f"{sentence}\n" for sentence in excesses))
    sys.exit(bool(excesses))


if __name__ == "__main__":
    main()
