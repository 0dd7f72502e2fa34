"""Libraries without what they load where there is one, for nothing of ours.

pyarrow loads pandas (0.3 s of processor time), and numba SciPy's linear algebra (0.1 s).
"""

import sys
from collections.abc import Sequence
from types import ModuleType


def keep_pandas_out() -> None:
    """Have this process, and those forked from it, find no pandas; before pyarrow makes its first scalar."""
    sys.meta_path.insert(0, _Without("pandas"))


def keep_scipy_out() -> None:
    """Have this process find no SciPy; before numba loads its first loop."""
    sys.meta_path.insert(0, _Without("scipy"))


class _Without:
    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /) -> None:  # noqa: ARG002
        if fullname == self._name:
            raise ModuleNotFoundError(fullname)
