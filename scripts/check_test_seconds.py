"""Compare what each test file took of processors in a run with its budget.

``python -m scripts.check_test_seconds RUN``, where RUN is what ``pytest --junitxml`` has written (`make test-seconds`
takes that of the last `make test`). ``tests/slow.toml`` has the budgets. Seconds of processors count, those of services
and workers that a test started included, so that a busy machine fails no budget.
"""

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.support.record_seconds import measured_seconds
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


def main() -> None:
    """Print what took most, and what is over its budget; end with 1 where something is."""
    seconds = measured_seconds(sys.argv[1])
    sys.stdout.write(f"{sum(seconds.values()):.0f} s of processors for {len(seconds)} test files; most of it:\n")
    dearest = sorted(seconds.items(), key=lambda item: -item[1])[:_N_PRINTED]
    sys.stdout.write("".join(f"{taken:7.1f} s  {name}\n" for name, taken in dearest))
    excesses = Budgets.of(_SLOW).excesses(seconds)
    sys.stderr.write("".join(f"{sentence}\n" for sentence in excesses))
    sys.exit(bool(excesses))


if __name__ == "__main__":
    main()
