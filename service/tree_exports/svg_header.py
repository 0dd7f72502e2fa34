"""What stands above a drawn tree: a title, what the tree is, and what colours mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from schemas.approximation_trees import ApproximationTreeResult

from .colours import OTHERS, Colours
from .svg_elements import MUTED, bar, element, escaped, text
from .text_width import shortened, text_width
from .words import label, rounded, summary_parts

_Entry = TypeVar("_Entry")
_TITLE, _TEXT = 19.0, 12.0  # sizes of fonts
_LINE = 18.0
_SWATCH, _GAP = 11.0, 18.0
_NARROWEST, _LONGEST_NAME = 520.0, 220.0
_STEPS = 5  # of values told


@dataclass(frozen=True, slots=True)
class Header:
    """The lines above a tree."""

    title: str
    summary: tuple[str, ...]  # line by line
    legend: tuple[tuple[tuple[str, str], ...], ...]  # line by line, each entry's colour and name
    width: float

    @staticmethod
    def of(content: ApproximationTreeResult, colours: Colours, width: float) -> "Header":
        """Return the header of a tree, broken into lines of this width in pixels, or of some more."""
        room = max(width, _NARROWEST)
        parts = summary_parts(content)
        summary = _lines([(part, text_width(f"{part} · ", _TEXT)) for part in parts], room)
        entries = [(entry, _entry_width(entry[1])) for entry in _legend(content, colours)]
        legend = tuple(tuple(line) for line in _lines(entries, room))
        return Header("Approximation tree", tuple(" · ".join(line) for line in summary), legend, room)

    @property
    def height(self) -> float:
        """Of all lines, and some room below them."""
        return _TITLE + _LINE * (len(self.summary) + len(self.legend) + 1.5)

    def descriptions(self) -> Iterator[str]:
        """Yield what is read out."""
        yield element("title", escaped(self.title), id="tree-title")
        told = f"{'; '.join(self.summary)}. Rows for which a question holds go along its edge yes, all others along no."
        yield element("desc", escaped(told), id="tree-description")

    def elements(self) -> Iterator[str]:
        """Yield what is drawn."""
        yield text(self.title, 0, _TITLE, _TITLE, font_weight="600")
        y = _TITLE
        for line in self.summary:
            y += _LINE
            yield text(line, 0, y + 4, _TEXT, fill=MUTED)
        for entries in self.legend:
            y, x = y + _LINE, 0.0
            for fill, name in entries:
                yield bar(x, y + 2, _SWATCH, _SWATCH, fill, rx=2)
                yield text(_shown(name), x + _SWATCH + 5, y + 12, _TEXT)
                x += _entry_width(name)


def _legend(content: ApproximationTreeResult, colours: Colours) -> list[tuple[str, str]]:
    if content.task == "regression":
        values = [colours.lowest + (colours.highest - colours.lowest) * at / (_STEPS - 1) for at in range(_STEPS)]
        return [(colours.of_value(value), rounded(value)) for value in dict.fromkeys(values)]
    named = [(fill, label(each)) for each, fill in colours.of_classes.items()]
    n_others = len(content.classes) - len(named)
    return [*named, (OTHERS, f"{n_others} other classes")] if n_others else named


def _shown(name: str) -> str:
    return shortened(name, _TEXT, _LONGEST_NAME)


def _entry_width(name: str) -> float:
    return _SWATCH + 5 + text_width(_shown(name), _TEXT) + _GAP


def _lines(entries: list[tuple[_Entry, float]], room: float) -> list[list[_Entry]]:
    """Return entries line by line, as many in each as fit by their widths, one at least."""
    lines: list[list[_Entry]] = [[]]
    left = room
    for entry, width in entries:
        if lines[-1] and width > left:
            lines.append([])
            left = room
        lines[-1].append(entry)
        left -= width
    return lines
