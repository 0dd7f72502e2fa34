"""Displays: what a notebook shows of the client's objects, and the file that ``save`` writes of them.

The pictures are those of the page (``leafspace_drawings``): HTML without script, readable without a style sheet.
No request is made for a picture: it shows what is here. What it can use beside, such as the columns of the dataset for
the axes of an explanation, comes from what this client has met before.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import leafspace_client  # of which types of answers are imported when they are looked up

from .arguments import checked
from .errors import writing
from .known_documents import KnownDocuments
from .records import Record
from .written_paths import written_path

if TYPE_CHECKING:
    from .pictures import Drawing, Json

MOST_SHOWN_BYTES = 60_000  # of one output of a notebook, with its style sheet


class Displayed:
    """Anything that has a picture."""

    __slots__ = ()

    def _draw(self) -> "Drawing":
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from .pictures import output_of  # imports what draws

        return output_of(self._draw(), MOST_SHOWN_BYTES)

    def _drawn_document(self) -> "tuple[Json, Json | None]":
        """Return the answer that a chart is of, and that about its dataset where it was met."""
        raise NotImplementedError

    @checked
    def plot(self) -> "leafspace_client.Plot":
        """Return its chart: ``plot().svg``, ``plot().save("why.svg")``, ``plot().to_matplotlib()``, ``.to_plotly()``.

        There are charts of explanations, sets of them, comparisons, prototype sets, maps and approximation trees.

        Raises
        ------
        Invalid
            If there is no chart of this.
        """
        from .plots import Plot  # imports what draws

        return Plot(*self._drawn_document())

    @checked
    def save(self, path: str | Path) -> Path:
        """Write the picture to an HTML file, which needs nothing else and runs no script, and return its path.

        It shows what is here, without asking the service.

        Parameters
        ----------
        path
            Where to write, such as ``"why.html"``; a file that is there is replaced.

        Raises
        ------
        CannotWrite
            If the file cannot be written there, or its name ends as that of another kind of file.
        """
        from .pictures import document_of  # imports what draws

        target = written_path(path, "html")
        document = document_of(self._draw())
        with writing(target):
            target.write_text(document, encoding="utf-8")
        return target


class DrawnRecord(Displayed, Record):
    """An answer of the service that has a picture of its own."""

    __slots__ = ()

    def _drawn_document(self) -> "tuple[Json, Json | None]":
        return self.to_dict(), None

    def _draw(self) -> "Drawing":
        from .pictures import drawing_of  # imports what draws

        return drawing_of(self.to_dict(), KnownDocuments())
