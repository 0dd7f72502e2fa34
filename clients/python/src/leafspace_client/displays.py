"""Displays: what a notebook shows of the client's objects, and the file that ``save`` writes of them.

The pictures are those of the page (``leafspace_drawings``): HTML without script, readable without a style sheet.
No request is made for a picture: it shows what is here. What it can use beside, such as the columns of the dataset for
the axes of an explanation, comes from what this client has met before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from .arguments import checked
from .errors import writing
from .records import Record

MOST_SHOWN_BYTES = 60_000  # of one output of a notebook, with its style sheet
_MOST_REMEMBERED = 64


class SeenDocuments:
    """Models, datasets and artefacts that a client has met, by id and by SHA-256: the last ones."""

    def __init__(self) -> None:
        self._records: dict[str, Any] = {}

    def remember(self, record: Any) -> None:  # an answer of any noun
        """Keep an answer for pictures; summaries of lists, which lack what pictures need, are passed over."""
        if type(record).__name__.endswith("Summary"):
            return
        names: tuple[str | None, str | None] = getattr(record, "id", None), getattr(record, "sha256", None)
        for name in filter(None, dict.fromkeys(names)):
            self._records.pop(name, None)
            self._records[name] = record
        for name in list(self._records)[:-_MOST_REMEMBERED]:
            self._records.pop(name, None)

    def document(self, name: str | None) -> dict[str, Any] | None:
        """Return the service's latest answer about an object, if there was one."""
        record = self._records.get(name or "")
        found: dict[str, Any] | None = None if record is None else record.to_dict()
        return found


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture and the title of its file."""

    title: str
    html: str
    smaller: Callable[[], str] | None = None  # the same with less in it, where the whole is too large to be shown


class Displayed:
    """Anything that has a picture."""

    __slots__ = ()

    def _draw(self) -> Drawing:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return str(pictures().output_of(self._draw(), MOST_SHOWN_BYTES))

    @checked
    def save(self, path: str | Path) -> Path:
        """Write the picture to an HTML file, which needs nothing else and runs no script, and return its path.

        It shows what is here, without asking the service.
        """
        target = Path(path)
        document = pictures().document_of(self._draw())
        with writing(target):
            target.write_text(document, encoding="utf-8")
        return target


class DrawnRecord(Displayed, Record):
    """An answer of the service that has a picture of its own."""

    __slots__ = ()

    def _draw(self) -> Drawing:
        drawing: Drawing = pictures().drawing_of(self.to_dict(), SeenDocuments())
        return drawing


def pictures() -> ModuleType:
    """Return what draws; it brings the library of templates, which is imported when something is first shown."""
    return import_module(".pictures", __package__)
