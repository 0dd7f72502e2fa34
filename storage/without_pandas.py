"""Libraries without what they load where there is one, for nothing of ours.

pyarrow loads pandas (0.3 s of processor time), and structlog rich (0.05 s).
"""

import sys
from collections.abc import Sequence
from types import ModuleType


def keep_pandas_out() -> None:
    """Have this process, and those forked from it, find no pandas; before pyarrow makes its first scalar."""
    sys.meta_path.insert(0, _Without("pandas"))


def keep_rich_out() -> None:
    """Have this process find no rich; before it loads structlog, whose lines are for programs here."""
    sys.meta_path.insert(0, _Without("rich"))


class _Without:
    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /) -> None:
        if fullname == self._name:
            raise ModuleNotFoundError(fullname)
