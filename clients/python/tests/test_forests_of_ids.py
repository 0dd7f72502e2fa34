"""Forests made of ids: refused where nothing is joined, and warned of where ids are declared as features."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Leafspace, LeafspaceError, RelationalDataset

_N_PEOPLE = 80


def _tables() -> dict[str, pd.DataFrame]:
    """Return people whose labels nothing explains, and visits with running numbers."""
    rng = np.random.default_rng(5)
    people = {"id": np.arange(_N_PEOPLE) + 100, "sick": rng.choice(["no", "yes"], _N_PEOPLE)}
    visits = {"visitor": rng.permutation(np.arange(2 * _N_PEOPLE) // 2 + 100), "visit_no": np.arange(2 * _N_PEOPLE) + 1}
    visits["ward"] = rng.integers(0, 3, 2 * _N_PEOPLE)
    return {"person": pd.DataFrame(people), "visit": pd.DataFrame(visits)}


def _registered(client: Leafspace, tables: dict[str, pd.DataFrame], **declared: Any) -> RelationalDataset:
    return client.register_relational_dataset(tables, examples="person", target="sick", **declared)


def test_tables_that_nothing_leads_to_are_refused_unless_they_are_ignored(client: Leafspace) -> None:
    tables = _tables()
    tables["person"] = tables["person"].assign(age=np.arange(_N_PEOPLE) % 7)
    dataset = _registered(client, tables)

    assert "declare a foreign key of either table" in repr(dataset)
    for refusal in (
        lambda: client.relational_forests.create(dataset),
        lambda: client.feature_sets.create(dataset, generate={"depth": 1}),
    ):
        with pytest.raises(LeafspaceError) as refused:
            refusal()
        assert refused.value.code == "method_not_applicable"
        assert "to 'visit'; declare their keys" in str(refused.value)
    assert client.relational_forests.create(dataset, ignore_unjoined=True, n_trees=3).wait().trees
    features = client.feature_sets.create(dataset, generate={"ignore_unjoined": True}).wait().features
    assert [feature.name for feature in features] == ["age"]
    joined = _registered(client, tables, references={"visit.visitor": "person"})
    assert client.relational_forests.create(joined, n_trees=3).wait().trees


def test_ids_are_not_tested_and_that_is_reported_unless_they_are_declared(client: Leafspace) -> None:
    references = {"visit.visitor": "person"}
    dataset = _registered(client, _tables(), references=references)
    declared = _registered(client, _tables(), references=references, features={"visit": "visit_no"})

    without = client.relational_forests.create(dataset, pruning="none").wait()
    forest = client.relational_forests.create(declared, pruning="none").wait()

    assert "trees do not test visit_no of table visit" in repr(dataset)
    assert "Warning" not in repr(declared)
    assert without.ids_left_out == ["visit.visit_no"]
    assert "Not tested, as ids are: visit.visit_no" in str(without)
    assert not any("visit_no" in feature.name for feature in without.feature_set.features)
    assert forest.ids_left_out == []
    out_of_bag, warnings = forest.evaluation.out_of_bag, {each.code: each.detail for each in forest.warnings}
    assert (forest.evaluation.training.accuracy or 0) > 0.9
    assert out_of_bag is not None
    assert (out_of_bag.accuracy or 0) < 0.6
    assert f"{out_of_bag.accuracy:.1%} of labels out of bag" in warnings["no_better_than_constant"]
    for text in (repr(forest), str(forest)):
        assert text.count("Warning: ") == 1


def test_a_regression_that_learned_noise_says_so_and_one_that_learned_a_rule_is_silent(
    client: Leafspace,
) -> None:
    rng = np.random.default_rng(2)
    people = pd.DataFrame({"id": np.arange(60), "age": rng.normal(40, 10, 60).round(3)})
    targets: list[tuple[str, Any]] = [("noise", rng.normal(size=60)), ("rule", (people["age"] > 40).astype(float))]
    for name, target in targets:
        dataset = _registered(client, {"person": people.assign(sick=target)})
        forest = client.relational_forests.create(dataset, task="regression", n_trees=11).wait()
        assert [each.code for each in forest.warnings] == ["no_better_than_constant"] * (name == "noise")
        assert ("Warning" in repr(forest)) == (name == "noise")
