"""pyarrow without pandas, which it loads where there is one: 0.3 s of processor time, for nothing of ours."""

import sys
from importlib.abc import MetaPathFinder


def keep_pandas_out() -> None:
    """Have this process, and those forked from it, find no pandas; before pyarrow makes its first scalar."""
    sys.meta_path.insert(0, _WithoutPandas())


class _WithoutPandas(MetaPathFinder):
    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
