"""read_dataset and read_relational_dataset, in the child: uploads become normalised files and their summary."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from sandbox.messages import ARRAYS, CONTENT, Request, content_of_table, upload_of_table
from storage.dataset_files import DatasetLimits, DeclaredColumns, read_upload
from storage.relational_files import RelationalDeclaration, UploadPaths, read_tables


def read_dataset_upload(request: Request) -> dict[str, Any]:
    """Write the normalised file beside the upload; return the summary: of the rows and the columns."""
    upload = Path(request.upload)
    features = request.metadata.get("features")
    declared = DeclaredColumns(
        target=request.metadata.get("target"),
        row_id=request.metadata.get("row_id"),
        features=None if features is None else tuple(features),
        categories=tuple(request.metadata.get("categories", ())),
        missing_values=tuple(request.metadata.get("missing_values", ())),
        separator=request.metadata.get("separator"),
    )
    read = read_upload(upload, request.media_hint, declared, DatasetLimits(**request.limits), upload.parent / CONTENT)
    ignored = {"ignored_columns": list(read.ignored)} if read.ignored else {}
    return {"n_rows": read.n_rows, "columns": [asdict(column) for column in read.columns], **ignored}


def read_relational_upload(request: Request) -> dict[str, Any]:
    """Write a normalised file a table and the file of arrays beside the uploads; return the summary."""
    folder = Path(request.upload).parent
    declared = RelationalDeclaration.from_json(request.metadata)
    paths = UploadPaths(
        [folder / upload_of_table(table.index) for table in declared.tables],
        [folder / content_of_table(table.index) for table in declared.tables],
        folder / ARRAYS,
    )
    return read_tables(declared, DatasetLimits(**request.limits), paths)
