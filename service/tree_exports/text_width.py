"""How wide a text will be in a font that is not known: a guess on the safe side."""

import unicodedata

_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{}/\\ "), frozenset("mwMW@%&")
_OF_FULL_WIDTH = ("W", "F")
_BOLD = 1.13  # as wide as plain text is bold one
_A_HAIR = 1e-6  # lost where widths are added up and taken apart again


def text_width(text: str, size: float, *, is_bold: bool = False) -> float:
    """Return how wide a line is in pixels.

    Parameters
    ----------
    text
        The line.
    size
        Of its font, in pixels.
    is_bold
        Whether it is.
    """
    return size * (_BOLD if is_bold else 1) * sum(map(_em, text))


def shortened(text: str, size: float, most: float, *, is_bold: bool = False) -> str:
    """Return the line, or as much of its beginning as fits before three dots."""
    if text_width(text, size, is_bold=is_bold) <= most + _A_HAIR:
        return text
    room, end = most - text_width("...", size, is_bold=is_bold), 0
    while end < len(text) and (room := room - text_width(text[end], size, is_bold=is_bold)) >= 0:
        end += 1
    return f"{text[:end].rstrip()}..."


def two_lines(text: str, size: float, most: float, *, is_bold: bool = False) -> list[str]:
    """Return the text on one line or, parted between words, on two, the second shortened; none is wider than that."""
    if text_width(text, size, is_bold=is_bold) <= most + _A_HAIR:
        return [text]
    first, *words = text.split(" ")
    while words and text_width(f"{first} {words[0]}", size, is_bold=is_bold) <= most:
        first = f"{first} {words.pop(0)}"
    if not words or text_width(first, size, is_bold=is_bold) > most:
        return [shortened(text, size, most, is_bold=is_bold)]
    return [first, shortened(" ".join(words), size, most, is_bold=is_bold)]


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.39
    if character in _WIDE or character.isupper():
        return 0.82 if character in _WIDE else 0.7
    if unicodedata.east_asian_width(character) in _OF_FULL_WIDTH:
        return 1.05
    return 0.0 if unicodedata.combining(character) else 0.61
