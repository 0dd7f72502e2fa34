"""What the sandbox's server loads before it forks a child for each file of rows."""

from ..without_pandas import keep_pandas_out

LOADER = f"{__name__}.load_readers"


def load_readers() -> None:
    """Load what reads files of rows, all of which this package imports, without pandas."""
    keep_pandas_out()
