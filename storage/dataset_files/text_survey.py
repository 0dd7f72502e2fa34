"""The first look at a text file: whether it is UTF-8 without NUL, and how many quotes it holds."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ..errors import DatasetRefused

_N_CHUNK_BYTES = 4 * 1024**2
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class TextSurvey:
    """What was seen."""

    n_quotes: int


def survey_text(path: Path) -> TextSurvey:
    """Read the file once; refuse NUL characters and anything that is not UTF-8, naming the line.

    Arrow accepts the one and turns the other into binary columns, so both are looked for here.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    n_quotes = 0
    for offset, chunk in _chunks(path):
        if offset == 0 and chunk.startswith(_UTF_16_MARKS):
            _refuse_encoding("the file is UTF-16; save it as UTF-8")
        _refuse_nul(path, offset, chunk)
        _refuse_invalid(path, decoder, offset, chunk)
        n_quotes += chunk.count(b'"')
    _refuse_invalid(path, decoder, path.stat().st_size, b"", final=True)
    return TextSurvey(n_quotes)


def _chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        offset = 0
        while chunk := file.read(_N_CHUNK_BYTES):
            yield offset, chunk
            offset += len(chunk)


def _refuse_nul(path: Path, offset: int, chunk: bytes) -> None:
    position = chunk.find(b"\0")
    if position >= 0:
        line = _line_at(path, offset + position)
        raise DatasetRefused("dataset_parse_error", f"line {line} holds a NUL character; remove it")


def _refuse_invalid(
    path: Path, decoder: codecs.IncrementalDecoder, offset: int, chunk: bytes, *, final: bool = False
) -> None:
    n_pending = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError as error:
        line = _line_at(path, offset - n_pending + error.start)
        _refuse_encoding(f"line {line} is not UTF-8; save the file as UTF-8")


def _line_at(path: Path, offset: int) -> int:
    n_newlines = 0
    for start, chunk in _chunks(path):
        if start + len(chunk) > offset:
            return n_newlines + chunk.count(b"\n", 0, offset - start) + 1
        n_newlines += chunk.count(b"\n")
    return n_newlines + 1


def _refuse_encoding(detail: str) -> NoReturn:
    raise DatasetRefused("dataset_bad_encoding", detail)
