"""Make a row count."""

from schemas.row_counts import RowCountRequest, RowCountResult

from storage.datasets import DatasetStore

from ..runtime.context import JobContext, Produced


def make_row_count(context: JobContext) -> Produced:
    """Count the rows of the dataset that a ``RowCountRequest`` names."""
    request = RowCountRequest(**context.request)
    dataset = DatasetStore(context.database).get(request.dataset)
    return Produced(RowCountResult(n_rows=dataset.view.n_rows).model_dump_json().encode())
