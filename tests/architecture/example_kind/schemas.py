"""Row counts: how many rows a dataset has."""

from typing import Literal

from pydantic import Field

from .artefacts import RESULT, ArtefactView
from .contract import Contract, Identifier


class RowCountRequest(Contract):
    """The rows to count."""

    model: Identifier
    dataset: Identifier


class RowCountResult(Contract):
    """The number of rows."""

    n_rows: int = Field(ge=0, description="Number of rows of the dataset.")


class RowCount(ArtefactView):
    """A row count, its status and, once it is ready, its result."""

    object: Literal["row_count"] = "row_count"
    request: RowCountRequest
    result: RowCountResult | None = Field(default=None, description=RESULT)
