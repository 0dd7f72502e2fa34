import numpy as np
import pytest

from tests.support.models import fitted
from tests.support.naive_defrag import statement_matrix
from tests.support.pipelines import fitted_pipeline
from tests.support.rule_training import of_pipeline
from tree_explainers.errors import InvalidInput, RowRefused
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows


def statements_of_pipeline(name: str) -> Statements:
    read = fitted_pipeline(name).read
    return statements_of(read.ensemble, read.description)


@pytest.mark.parametrize("name", ["missing_kept", "one_matrix", "ordinal_categories", "imputed_categories"])
def test_bins_determine_all_statements(name: str) -> None:
    rows = fitted_pipeline(name).rows
    statements = statements_of_pipeline(name)
    some = rows.take(np.arange(0, len(rows), 4))

    bins = BinnedRows.of(statements, some).bins

    parts = np.split(statement_matrix(statements, some), statements.statement_starts[1:-1], axis=1)
    for feature, own, truths in zip(statements.features, bins, parts, strict=True):
        if feature.answers is not None:
            np.testing.assert_array_equal(feature.answers[:, own].T, truths)
            continue
        above = own[:, None] > np.arange(feature.n_statements)
        is_missing = (own == feature.missing_bin)[:, None]
        np.testing.assert_array_equal(np.where(is_missing, feature.missing_greater, above), truths)


def test_bins_take_one_byte_where_there_are_few_and_two_where_there_are_more() -> None:
    few, many = of_pipeline("missing_kept"), of_pipeline("one_matrix")

    assert few.binned.bins.dtype == np.uint8
    assert many.binned.bins.dtype == np.uint16
    assert max(feature.n_bins for feature in many.statements.features) > 256


def test_a_value_that_is_the_cut_is_not_above_it() -> None:
    model = fitted("random_forest_binary")
    statements = statements_of(model.read.ensemble, model.read.description)
    length = max(len(feature.cuts) for feature in statements.features)
    cuts = [np.resize(feature.cuts, length) for feature in statements.features]
    rows = Rows(tuple(feature.name for feature in statements.features), tuple(cuts))

    bins = BinnedRows.of(statements, rows).bins

    for feature, own in zip(statements.features, bins, strict=True):
        np.testing.assert_array_equal(own, np.resize(np.arange(len(feature.cuts)), length))


def test_numbers_are_rounded_as_the_model_rounds_them() -> None:
    model = fitted("random_forest_binary")
    statements = statements_of(model.read.ensemble, model.read.description)
    exact = BinnedRows.of(statements, model.rows)
    noise = Rows(model.rows.names, tuple(column * (1 + 1e-9) for column in model.rows.columns))

    np.testing.assert_array_equal(BinnedRows.of(statements, noise).bins, exact.bins)


def test_missing_and_unknown_categories_have_bins_of_their_own() -> None:
    statements = statements_of_pipeline("scaled_and_one_hot")
    rows = fitted_pipeline("scaled_and_one_hot").rows.take(np.arange(5))
    columns = dict(zip(rows.names, rows.columns, strict=True))
    columns["embarked"] = np.array(["S", "elsewhere", None, "None", "C"], dtype=object)

    binned = BinnedRows.of(statements, Rows(tuple(columns), tuple(columns.values())))

    index = [feature.name for feature in statements.features].index("embarked")
    assert binned.bins[index].tolist() == [2, 3, 4, 4, 0]


def test_features_are_found_by_name_among_others() -> None:
    data = of_pipeline("missing_kept")
    names = ("not tested", *reversed(data.rows.names))
    turned = Rows(names, (np.zeros(len(data.rows)), *reversed(data.rows.columns)))

    np.testing.assert_array_equal(BinnedRows.of(data.statements, turned).bins, data.binned.bins)


def test_rows_can_be_taken_from_bins() -> None:
    data = of_pipeline("missing_kept")
    some = np.array([7, 3, 3, 90])

    taken = data.binned.take(some)

    assert taken.n_rows == 4
    np.testing.assert_array_equal(taken.bins, BinnedRows.of(data.statements, data.rows.take(some)).bins)


def test_a_column_of_nothing_but_missing_values_may_be_of_either_kind() -> None:
    statements = statements_of_pipeline("missing_kept")
    rows = fitted_pipeline("missing_kept").rows.take(np.arange(3))
    nothing = Rows(
        rows.names,
        tuple(
            np.full(3, np.nan) if column.dtype == object else np.full(3, None, dtype=object) for column in rows.columns
        ),
    )

    bins = BinnedRows.of(statements, nothing).bins

    np.testing.assert_array_equal(bins.T, [[feature.missing_bin for feature in statements.features]] * 3)


def test_rows_of_the_wrong_kind_are_refused() -> None:
    statements = statements_of_pipeline("missing_kept")
    rows = fitted_pipeline("missing_kept").rows.take(np.arange(3))

    def with_column(name: str, *values: float | str | None) -> Rows:
        dtype = np.float64 if all(isinstance(value, float) for value in values) else object
        columns = dict(zip(rows.names, rows.columns, strict=True)) | {name: np.array(values, dtype=dtype)}
        return Rows(tuple(columns), tuple(columns.values()))

    with pytest.raises(InvalidInput, match="'sex'"):
        BinnedRows.of(statements, rows.select([name for name in rows.names if name != "sex"]))
    with pytest.raises(RowRefused, match="'sex': a category") as refused:
        BinnedRows.of(statements, with_column("sex", np.nan, 1.0, np.nan))
    assert refused.value.row == 1
    with pytest.raises(RowRefused, match="'TSH': a number"):
        BinnedRows.of(statements, with_column("TSH", None, None, "high"))
