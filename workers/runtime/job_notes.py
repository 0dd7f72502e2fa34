"""What jobs take long to load: a worker loads it for all that follow, and at its start what the last jobs loaded."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from schemas.contract import build_messages, built_messages
from tree_explainers.compute.compiled import load_loops, loaded_loops

_MOST_KEPT = 64  # of loops, which take some 4 ms each, and of messages
_FILE = "jobs.json"


class Note(NamedTuple):
    """What a job has loaded."""

    loops: list[tuple[str, str]]  # names of compiled loops, and their types
    messages: list[str]  # names of messages of the contract that were read or written

    @staticmethod
    def of_process() -> "Note":
        """Return what this process has loaded."""
        return Note(loaded_loops(), built_messages())

    @staticmethod
    def from_json(text: bytes) -> "Note":
        """Return the note that was written; an empty one where it was cut off, or is none."""
        try:
            loops, messages = json.loads(text)
            return Note([(str(name), str(types)) for name, types in loops], list(map(str, messages)))
        except (ValueError, TypeError, RecursionError):
            return Note([], [])

    def to_json(self) -> bytes:
        """Return it as ``from_json`` reads it."""
        return json.dumps(self).encode()

    def load(self) -> bool:
        """Load all of it into this process; return whether there was anything to load."""
        return load_loops(self.loops) + build_messages(self.messages) > 0


class KeptNote:
    """What the last jobs loaded, beside the compiled loops on disk; ``None`` where these are not kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / _FILE

    def read(self) -> Note:
        """Return it; an empty note where there is none."""
        if self._file is not None:
            with suppress(OSError):
                return Note.from_json(self._file.read_bytes())
        return Note([], [])

    def add(self, note: Note) -> None:
        """Keep what one more job loaded, and of what others did, as much as there is room for."""
        if self._file is None:
            return
        before, own = self.read(), self._file.with_suffix(f".{os.getpid()}")
        loops = dict.fromkeys((*note.loops, *before.loops))
        messages = dict.fromkeys((*note.messages, *before.messages))
        with suppress(OSError):
            own.write_bytes(Note([*loops][:_MOST_KEPT], [*messages][:_MOST_KEPT]).to_json())
            own.replace(self._file)
