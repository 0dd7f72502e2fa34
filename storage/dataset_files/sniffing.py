"""Which format an uploaded file has, by its first bytes and never by its name; and whether a text is valid UTF-8."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from ..errors import DatasetRefused

FileForm = Literal["csv", "json_array", "json_lines", "parquet"]

_N_HEAD_BYTES = 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_REFUSED_MAGICS = (
    (b"PK\x03\x04", "a zip archive (or a spreadsheet or .npz file)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"7z\xbc\xaf\x27\x1c", "7-zip"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF", "HDF5"),
    (b"ARROW1", "Arrow or Feather"),
    (b"FEA1", "Feather"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b"SQLite format 3", "SQLite"),
    (b"%PDF", "PDF"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
)
_BINARY_PICKLE = re.compile(rb"\x80[\x01-\x05][\x80-\xff\x58}\]()cKNGX.]", re.DOTALL)
# A class, then what it is called with or the end; a column of codes begins with two words on lines of their own, too.
_TEXT_PICKLE = re.compile(rb"(?:c[\w.]+\n\w+\n(?:p\d+\n)?(?:\(|\.\Z)|\((?:dp|lp|i)\w*\n)")
_JSON_ARRAY = re.compile(rb"\[\s*(?:[\[\]{\"\d-]|true|false|null)")

_N_CHUNK_BYTES = 4 * 1024**2
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def sniff(path: Path, media_hint: str | None) -> FileForm:
    """Return the form of the file.

    ``media_hint`` is the media type that the sender claims. It never decides how bytes are read; it only turns
    bytes that contradict it (text that is no JSON sent as JSON) into a refusal instead of a one-column CSV.
    """
    with path.open("rb") as file:
        head = file.read(_N_HEAD_BYTES)
    _refuse_other_formats(head)
    form = _form_of(head)
    _refuse_contradiction(form, media_hint)
    return form


def _refuse_other_formats(head: bytes) -> None:
    other_format = next((what for magic, what in _REFUSED_MAGICS if head.startswith(magic)), None)
    if other_format is None and (_BINARY_PICKLE.match(head) or _TEXT_PICKLE.match(head)):
        other_format = "a pickle"
    if other_format is not None:
        detail = (
            f"the content is {other_format}; datasets are read as plain CSV, Parquet or JSON rows (compressed CSV is "
            "refused: Parquet is the compact format)"
        )
        raise DatasetRefused("unsupported_media_type", detail)


def _form_of(head: bytes) -> FileForm:
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if text.startswith(b"{"):
        return "json_lines"
    return "json_array" if _JSON_ARRAY.match(text) else "csv"


def _refuse_contradiction(form: FileForm, media_hint: str | None) -> None:
    media_type = (media_hint or "").partition(";")[0].strip().lower()
    claims_json = media_type in ("application/json", "application/x-ndjson", "application/jsonl")
    claims_parquet = media_type == "application/vnd.apache.parquet"
    if (claims_json and not form.startswith("json")) or (claims_parquet and form != "parquet"):
        detail = f"the content was sent as {media_type}, but does not begin like it; mend the file or the content type"
        raise DatasetRefused("dataset_parse_error", detail)


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
        position = chunk.find(b"\0")
        if position >= 0:
            line = _line_at(path, offset + position)
            raise DatasetRefused("dataset_parse_error", f"line {line} holds a NUL character; remove it")
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
