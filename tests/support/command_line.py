"""Commands of ``leafspace``, done in the test process where it makes no difference: another takes seconds to start."""

import os
from dataclasses import dataclass

from click.testing import CliRunner

from leafspace.cli import main


@dataclass(frozen=True)
class Ended:
    """What a command printed, and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def run_leafspace(*arguments: object, **environment: str) -> Ended:
    """Run a command with these settings of ours alone; an exception that it does not catch is the test's."""
    without_ours = dict.fromkeys((name for name in os.environ if name.startswith("LEAFSPACE_")), None)
    result = CliRunner().invoke(main, [str(each) for each in arguments], env={**without_ours, **environment})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)
