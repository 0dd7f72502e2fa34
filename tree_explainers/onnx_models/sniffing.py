"""First look at an upload's leading bytes: what is certainly no ONNX file is refused before anything parses it."""

import re

from ..errors import ForeignFormat, ModelRefused

HEAD_BYTES = 256  # how much of the file is looked at

_OTHER_FORMATS = (
    (b"\x80", "a Python pickle or joblib file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"{", "JSON text"),
)
_RUNTIME_FORMAT = b"ORTM"  # behind the first four bytes
# Protocol 0 is text: marks, then GLOBAL with module and name on a line each, or a container put into the memo.
_TEXT_PICKLE = re.compile(rb"[(\]}]*(c[A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n|[dlt]?p\d+\n)")


def sniff_model(head: bytes) -> None:
    """Refuse what its first bytes show to be empty or of another format.

    Parameters
    ----------
    head
        The file's first ``HEAD_BYTES`` bytes or more; all of it where it is shorter.

    Raises
    ------
    ModelRefused
        ``model_empty`` for no bytes at all.
    ForeignFormat
        ``model_not_onnx`` for pickles, archives and the like. Passing means nothing more than "may be ONNX".
    """
    if not head:
        raise ModelRefused("model_empty", "The model file is empty; send the bytes of an ONNX file.")
    name = _foreign_format(head)
    if name is not None:
        detail = f"The file is {name}; only ONNX is accepted. Convert the model, with skl2onnx for example."
        raise ForeignFormat("model_not_onnx", detail)


def _foreign_format(head: bytes) -> str | None:
    if _TEXT_PICKLE.match(head):
        return "a Python pickle"
    if head[4:8] == _RUNTIME_FORMAT:
        return "a model in onnxruntime's own format (.ort)"
    return next((name for magic, name in _OTHER_FORMATS if head.startswith(magic)), None)
