from tests.support import naive_relational as naive
from tests.support.raw_tables import relational_rows
from tests.support.relational_data import mach
from tests.support.relational_schemas import BANK
from tree_explainers.relational.canonical import feature_id
from tree_explainers.relational.feature_json import document_of, feature_of
from tree_explainers.relational.feature_texts import name_of
from tree_explainers.relational.generated_features import generated_features
from tree_explainers.relational.queries import ColumnTerm
from tree_explainers.relational.query_trie import evaluate


def test_all_features_of_a_small_schema_are_listed_the_shortest_first() -> None:
    names = [name_of(feature, mach().schema) for feature in generated_features(mach().schema, 2)]

    assert names == [
        "number of worns",
        "most frequent replaceable of its comp of its worns",
        "number of distinct values of replaceable of its comp of its worns",
    ]


def test_deeper_features_come_after_all_of_one_relationship() -> None:
    one, two = generated_features(BANK, 1), generated_features(BANK, 2)
    names = [name_of(feature, BANK) for feature in two]

    assert two[:3] == one[:3]
    assert set(one) < set(two)
    assert len({feature_id(feature) for feature in two}) == len(two)
    assert names[:6] == ["age", "is_vip", "region of its branch", "n_desks of its branch", "grade of its employee",
                         "salary of its employee"]  # fmt: skip
    assert "number of transactions over all its accounts (by holder_id)" in names
    assert "mean amount of transactions of kind cash over all its accounts (by customer_id)" in names
    assert "total salary of employees (by manager_id) of its employee" in names
    assert "share of accounts (by holder_id) of kind credit among its accounts (by holder_id)" in names


def test_the_target_and_ways_back_to_the_examples_are_left_out() -> None:
    for feature in generated_features(BANK, 2):
        assert "customer" not in feature.query.tables(BANK)
        assert feature_of(document_of(feature, BANK, "any"), BANK) == feature
        term = feature.measure.term if feature.measure else None
        assert (
            not isinstance(term, ColumnTerm) or term.table(BANK, "customer") != "customer" or term.column != "defaulted"
        )


def test_generated_features_are_the_slow_twin_s() -> None:
    rows = relational_rows(mach())
    features = generated_features(rows.schema, 2)

    counts, modes, distinct = evaluate(features, rows)

    twin = naive.plain_rows(rows)
    assert counts.tolist() == naive.feature_column(twin, features[0])
    assert [(None, False, True)[code + 1] for code in modes.tolist()] == naive.feature_column(twin, features[1])
    assert distinct.tolist() == naive.feature_column(twin, features[2])
