"""Row counts: how many rows a dataset has."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import REQUEST, RESULT, ArtefactView, ReferenceDataset, RequestedModel
from .contract import OBJECT, Contract
from .noun import JSON, Noun, Product
from .paper_settings import MethodRequest


class RowCountRequest(MethodRequest):
    """The rows to count."""

    model: RequestedModel
    dataset: ReferenceDataset


class RowCountResult(Contract):
    """The number of rows."""

    n_rows: int = Field(ge=0, description="Number of rows of the dataset.")


class RowCount(ArtefactView):
    """A row count, its status and, once it is ready, its result."""

    object: Annotated[Literal["row_count"], OBJECT] = "row_count"
    request: Annotated[RowCountRequest, REQUEST]
    result: RowCountResult | None = Field(default=None, description=RESULT)


ROW_COUNTS = Noun(
    name="row_counts",
    singular="row_count",
    position=200,
    id_prefix="rct_",
    description="The number of rows of a dataset.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets"},
    request=RowCountRequest,
    summary=RowCount,
    view=RowCount,
    result=RowCountResult,
    products=(Product(name="content", media_types=(JSON,)),),
)
