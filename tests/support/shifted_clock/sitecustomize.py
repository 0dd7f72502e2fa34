"""Found by Python before anything else, where PYTHONPATH names this folder: sets the wall clock of a process wrong.

The file that SHIFTED_CLOCK names says by how many seconds, from the moment when it is written.
"""

import os
import time
from pathlib import Path

_real_time = time.time
_SHIFT = Path(os.environ["SHIFTED_CLOCK"])


def _shifted_time() -> float:
    try:
        return _real_time() + float(_SHIFT.read_text() or 0)
    except FileNotFoundError:
        return _real_time()


time.time = _shifted_time
