"""read_dataset, in the child: an upload becomes a normalised file and its summary."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from storage.dataset_files import DatasetLimits, DeclaredColumns, read_upload

from .messages import CONTENT, Request


def read_dataset_upload(request: Request) -> dict[str, Any]:
    """Write the normalised file beside the upload; return the summary: ``n_rows`` and ``columns``."""
    upload = Path(request.upload)
    features = request.metadata.get("features")
    declared = DeclaredColumns(
        target=request.metadata.get("target"),
        row_id=request.metadata.get("row_id"),
        features=None if features is None else tuple(features),
    )
    read = read_upload(upload, request.media_hint, declared, DatasetLimits(**request.limits), upload.parent / CONTENT)
    return {"n_rows": read.n_rows, "columns": [asdict(column) for column in read.columns]}
