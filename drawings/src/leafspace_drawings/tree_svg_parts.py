"""Parts of drawings: SVG elements, the estimated width of texts, and the header with title, summary and legend.

Elements have presentation attributes only: no styles, no scripts, nothing that is loaded, so that no content security
policy keeps them from being shown. Texts and attributes are escaped.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar
from xml.sax.saxutils import escape, quoteattr

from .tree_colours import OTHER_CLASSES, Colours
from .tree_documents import Tree
from .tree_texts import label, rounded, summary_parts

INK, MUTED, LINE = "#1c2733", "#5a6673", "#c3cad2"

# Widths of characters in a font that is not known, in shares of its size: estimates on the safe side.
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{}/\\ "), frozenset("mwMW@%&")
_FULL_WIDTH = ("W", "F")
_BOLD = 1.13  # width of bold text in widths of plain text
_TOLERANCE = 1e-6  # rounding when widths are added up and subtracted again

_Entry = TypeVar("_Entry")
_TITLE_SIZE, _TEXT_SIZE = 19.0, 12.0
_LINE_HEIGHT = 18.0
_SWATCH, _GAP = 11.0, 18.0
_LEAST_WIDTH, _WIDEST_NAME = 520.0, 220.0
_LEGEND_VALUES = 5


def element(name: str, *children: str, **attributes: float | str) -> str:
    """Return an element with its children, already escaped; ``_`` in names of attributes is written as ``-``."""
    own = "".join(f" {key.rstrip('_').replace('_', '-')}={_attribute(value)}" for key, value in attributes.items())
    return f"<{name}{own}>{''.join(children)}</{name}>" if children else f"<{name}{own}/>"


def _attribute(value: float | str) -> str:
    return quoteattr(value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip("."))


def escaped(text: str) -> str:
    """Return a text as the content of an element; all of its characters must be printable."""
    return escape(text)


def text(content: str, x: float, y: float, size: float, **attributes: float | str) -> str:
    """Return a line of text on the baseline ``y`` that begins at ``x``, unless ``text_anchor`` says otherwise."""
    own: dict[str, float | str] = {"x": x, "y": y, "font_size": size, "fill": INK}
    return element("text", escaped(content), **(own | attributes))


def bar(x: float, y: float, width: float, height: float, fill: str, **attributes: float | str) -> str:
    """Return a rectangle."""
    own: dict[str, float | str] = {"x": x, "y": y, "width": width, "height": height, "fill": fill}
    return element("rect", **(own | attributes))


def text_width(line: str, size: float, *, is_bold: bool = False) -> float:
    """Return the estimated width of a line in pixels, given the size of its font in pixels."""
    return size * (_BOLD if is_bold else 1) * sum(map(_character_width, line))


def _character_width(character: str) -> float:
    if character in _NARROW:
        return 0.39
    if character in _WIDE or character.isupper():
        return 0.82 if character in _WIDE else 0.7
    if unicodedata.east_asian_width(character) in _FULL_WIDTH:
        return 1.05
    return 0.0 if unicodedata.combining(character) else 0.61


def shortened(line: str, size: float, width: float, *, is_bold: bool = False) -> str:
    """Return the line, or as much of its beginning as fits into the width before three dots."""
    if text_width(line, size, is_bold=is_bold) <= width + _TOLERANCE:
        return line
    room, end = width - text_width("...", size, is_bold=is_bold), 0
    while end < len(line) and (room := room - text_width(line[end], size, is_bold=is_bold)) >= 0:
        end += 1
    return f"{line[:end].rstrip()}..."


def two_lines(line: str, size: float, width: float, *, is_bold: bool = False) -> list[str]:
    """Return the text on one line or, broken between words, on two, of which the second is shortened."""
    if text_width(line, size, is_bold=is_bold) <= width + _TOLERANCE:
        return [line]
    first, *words = line.split(" ")
    while words and text_width(f"{first} {words[0]}", size, is_bold=is_bold) <= width:
        first = f"{first} {words.pop(0)}"
    if not words or text_width(first, size, is_bold=is_bold) > width:
        return [shortened(line, size, width, is_bold=is_bold)]
    return [first, shortened(" ".join(words), size, width, is_bold=is_bold)]


@dataclass(frozen=True, slots=True)
class Header:
    """The lines above a tree."""

    title: str
    summary: tuple[str, ...]  # line by line
    legend: tuple[tuple[tuple[str, str], ...], ...]  # line by line, each entry's colour and name
    width: float

    @staticmethod
    def of(content: Tree, colours: Colours, width: float) -> "Header":
        """Return the header of a tree, broken into lines of a width in pixels, at least ``_LEAST_WIDTH``."""
        room = max(width, _LEAST_WIDTH)
        parts = summary_parts(content)
        summary = _broken([(part, text_width(f"{part} · ", _TEXT_SIZE)) for part in parts], room)
        entries = [(entry, _entry_width(entry[1])) for entry in _legend(content, colours)]
        legend = tuple(tuple(line) for line in _broken(entries, room))
        return Header("Approximation tree", tuple(" · ".join(line) for line in summary), legend, room)

    @property
    def height(self) -> float:
        """The height of all lines, and some room below them."""
        return _TITLE_SIZE + _LINE_HEIGHT * (len(self.summary) + len(self.legend) + 1.5)

    def descriptions(self) -> Iterator[str]:
        """Yield the elements that screen readers read out."""
        yield element("title", escaped(self.title), id="tree-title")
        about = (
            f"{'; '.join(self.summary)}. Rows for which a question holds go along its edge yes, all others along no."
        )
        yield element("desc", escaped(about), id="tree-description")

    def elements(self) -> Iterator[str]:
        """Yield the elements that are drawn."""
        yield text(self.title, 0, _TITLE_SIZE, _TITLE_SIZE, font_weight="600")
        y = _TITLE_SIZE
        for line in self.summary:
            y += _LINE_HEIGHT
            yield text(line, 0, y + 4, _TEXT_SIZE, fill=MUTED)
        for entries in self.legend:
            y, x = y + _LINE_HEIGHT, 0.0
            for fill, name in entries:
                yield bar(x, y + 2, _SWATCH, _SWATCH, fill, rx=2)
                yield text(_shortened_name(name), x + _SWATCH + 5, y + 12, _TEXT_SIZE)
                x += _entry_width(name)


def _legend(content: Tree, colours: Colours) -> list[tuple[str, str]]:
    if content.task == "regression":
        spread, n_steps = colours.highest - colours.lowest, _LEGEND_VALUES - 1
        values = [colours.lowest + spread * step / n_steps for step in range(_LEGEND_VALUES)]
        return [(colours.of_value(value), rounded(value)) for value in dict.fromkeys(values)]
    named = [(fill, label(name)) for name, fill in colours.of_classes.items()]
    n_others = len(content.classes) - len(named)
    return [*named, (OTHER_CLASSES, f"{n_others} other classes")] if n_others else named


def _shortened_name(name: str) -> str:
    return shortened(name, _TEXT_SIZE, _WIDEST_NAME)


def _entry_width(name: str) -> float:
    return _SWATCH + 5 + text_width(_shortened_name(name), _TEXT_SIZE) + _GAP


def _broken(entries: list[tuple[_Entry, float]], room: float) -> list[list[_Entry]]:
    """Break entries with their widths into lines: as many in each as fit, at least one."""
    lines: list[list[_Entry]] = [[]]
    left = room
    for entry, width in entries:
        if lines[-1] and width > left:
            lines.append([])
            left = room
        lines[-1].append(entry)
        left -= width
    return lines
