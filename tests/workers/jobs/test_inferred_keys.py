"""Nine tables that share one column lead to a forest that predicts, without a declaration of any key."""

import pytest

from benchmarks.inferred_keys import NINE_TABLES, nine_tables
from schemas.relational_forests import RELATIONAL_FORESTS, RelationalForestRequest
from service.operations import artefacts, relational_forests
from tests.support.workshop import Workshop

_LEAST_ACCURACY = 0.64  # out of bag; always the most frequent label: .60


@pytest.mark.long
def test_nine_tables_that_share_a_column_need_no_declaration(workshop: Workshop) -> None:
    tables = nine_tables("mutagenesis")
    files = {f"{table}.csv": frame.to_csv(index=False).encode() for table, frame in tables.items()}
    examples = {"table": "compound", "target": "active"}
    dataset = workshop.register_tables(files, {"examples": examples, "tables": [{"name": table} for table in tables]})

    requested = relational_forests.request_relational_forest(
        workshop.context, RelationalForestRequest(relational_dataset=dataset)
    )
    workshop.run(requested.job or "")

    result = artefacts.get_one(workshop.context, RELATIONAL_FORESTS, requested.id).result
    assert result is not None
    assert result.evaluation.out_of_bag is not None
    assert (result.evaluation.out_of_bag.accuracy or 0) >= _LEAST_ACCURACY
    view = workshop.context.relational_datasets.get(dataset).view
    joined = {relationship.from_ for relationship in view.relationships if relationship.columns == ["drug"]}
    assert (joined, view.unused, len(tables)) == (set(NINE_TABLES["mutagenesis"]), [], 9)
    assert all(relationship.inferred for relationship in view.relationships)
