"""How much memory a process holds at most, from some moment on; Linux only."""

from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory:
    """Counts from the moment at which it is made, when libraries are imported and compiled loops are loaded."""

    def __init__(self) -> None:
        _CLEAR.write_text("5")  # the highest mark falls to what is held now
        self._before = _kilobytes("VmRSS")

    def megabytes(self) -> float:
        """Return the most that was held above what was held at the beginning."""
        return (_kilobytes("VmHWM") - self._before) / 1024


def _kilobytes(name: str) -> int:
    lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    return int(lines[name].split()[0])
