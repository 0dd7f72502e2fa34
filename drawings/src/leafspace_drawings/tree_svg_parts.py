"""Parts of drawings: SVG elements, the estimated width of texts, and the header with title, summary and legend.

Elements have presentation attributes only: no styles, no scripts, nothing that is loaded, so that no content security
policy keeps them from being shown. Texts and attributes are escaped.
"""

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeVar
from xml.sax.saxutils import escape, quoteattr

from .tree_colours import OTHER_CLASSES, Colours
from .tree_documents import Tree
from .tree_texts import label, rounded, summary_parts
from .words import word_parts

INK, MUTED, LINE = "#1c2733", "#5a6673", "#c3cad2"

# Widths of characters in a font that is not known, in shares of its size: estimates on the safe side.
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{}/\\ "), frozenset("mwMW@%&")
_FULL_WIDTH = ("W", "F")
_BOLD = 1.13  # width of bold text in widths of plain text
_MOST_LINES = 3
_FIRST_PART, _LEAST_LEFT = 0.6, 6  # of a name that is cut: the share before the dots, and as many characters at least
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


def question_lines(line: str, name: str, size: float, width: float, *, is_bold: bool = False) -> list[str]:
    """Return a question about a column on at most three lines.

    Of one that is longer, the column's name is cut in its middle: what is asked about it is never lost. Only of a
    question that would not fit without the name, either, the end is cut.

    Parameters
    ----------
    line
        The question.
    name
        The column's name, with which most questions begin.
    size
        Of the font in pixels.
    width
        Of the lines in pixels.
    """
    lines = _wrapped(line, size, width, is_bold=is_bold)
    if len(lines) <= _MOST_LINES:
        return lines
    rest = line.removeprefix(name)
    cuts = range(len(name) if rest != line else 0)  # by the number of characters that are left of the name

    def with_name_cut(n_left: int) -> list[str]:
        n_first = math.ceil(n_left * _FIRST_PART)
        return _wrapped(
            f"{name[:n_first]}...{name[len(name) - n_left + n_first :]}{rest}", size, width, is_bold=is_bold
        )

    fitting = bisect_right(cuts, _MOST_LINES, lo=_LEAST_LEFT, key=lambda n: len(with_name_cut(n))) if cuts else 0
    if fitting > _LEAST_LEFT:
        return with_name_cut(fitting - 1)
    *first, last = lines[:_MOST_LINES]
    return [*first, shortened(f"{last.rstrip('.')} ...", size, width, is_bold=is_bold)]


def _wrapped(line: str, size: float, width: float, *, is_bold: bool) -> list[str]:
    """Break a text into lines: between words, and within words of several parts; a longer part wherever it must be."""
    lines = [""]
    for part in word_parts(line):
        if text_width((lines[-1] + part).rstrip(), size, is_bold=is_bold) <= width + _TOLERANCE:
            lines[-1] += part
            continue
        lines.append("")
        for character in part:
            if lines[-1] and text_width(lines[-1] + character, size, is_bold=is_bold) > width + _TOLERANCE:
                lines.append("")
            lines[-1] += character
    return [each.rstrip() for each in lines if each.strip()] or [""]


@dataclass(frozen=True, slots=True)
class Header:
    """The lines above a tree."""

    title: str
    summary: tuple[str, ...]  # line by line
    legend: tuple[tuple[tuple[str, str], ...], ...]  # line by line, each entry's colour and name
    width: float

    @staticmethod
    def of(content: Tree, colours: Colours, width: float, adverse: Collection[str]) -> "Header":
        """Return the header of a tree, broken into lines of a width in pixels, at least ``_LEAST_WIDTH``.

        ``adverse`` are classes that are so to the person concerned.
        """
        room = max(width, _LEAST_WIDTH)
        parts = summary_parts(content)
        summary = _broken([(part, text_width(f"{part} · ", _TEXT_SIZE)) for part in parts], room)
        entries = [(entry, _entry_width(entry[1])) for entry in _legend(content, colours, adverse)]
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
                yield text(name, x + _SWATCH + 5, y + 12, _TEXT_SIZE)
                x += _entry_width(name)


def _legend(content: Tree, colours: Colours, adverse: Collection[str]) -> list[tuple[str, str]]:
    if content.task == "regression":
        spread, n_steps = colours.highest - colours.lowest, _LEGEND_VALUES - 1
        values = [colours.lowest + spread * step / n_steps for step in range(_LEGEND_VALUES)]
        return [(colours.of_value(value), rounded(value)) for value in dict.fromkeys(values)]
    named = [
        (fill, shortened(label(name), _TEXT_SIZE, _WIDEST_NAME) + (" (adverse)" if name in adverse else ""))
        for name, fill in colours.of_classes.items()
    ]
    n_others = len(content.classes) - len(named)
    return [*named, (OTHER_CLASSES, f"{n_others} other classes")] if n_others else named


def _entry_width(name: str) -> float:
    return _SWATCH + 5 + text_width(name, _TEXT_SIZE) + _GAP


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
