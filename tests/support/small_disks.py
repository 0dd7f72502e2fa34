"""A real file system of a few MB, so that a test can fill it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SIZE_BYTES = 48 << 20
_BLOCK_BYTES = 1 << 12


class SmallDisk:
    """A file system in memory, mounted in a folder."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._filler = directory / "filler"

    def fill(self, n_bytes_left: int = 0) -> None:
        """Leave no more room than this."""
        with self._filler.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(_BLOCK_BYTES)) == _BLOCK_BYTES:
                    pass
            except OSError:
                file.truncate(max(0, file.tell() - n_bytes_left))

    def free_space(self) -> None:
        """Take away what filled it."""
        self._filler.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Return an empty small disk."""
    with mounted(tmp_path / "small disk") as disk:
        yield disk


@contextmanager
def mounted(directory: Path) -> Iterator[SmallDisk]:
    """Yield an empty small disk; skip where this process may mount none, as only root may."""
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE_BYTES}", "tmpfs", str(directory)]
    refused = subprocess.run(mount, check=False, capture_output=True, text=True)  # our own
    if refused.returncode != 0:
        pytest.skip(f"a disk to be filled cannot be mounted here, only by root: {refused.stderr.strip()}")
    yield SmallDisk(directory)
    subprocess.run(["umount", "--lazy", str(directory)], check=True)  # noqa: S607  # our own
