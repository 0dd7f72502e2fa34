"""Forests made of ids: refused where nothing is joined, warned of where ids are tested."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Leafspace, LeafspaceError, RelationalDataset


def _tables(*, joined: bool) -> dict[str, pd.DataFrame]:
    """Return people whose labels nothing explains, and visits with running numbers."""
    rng, n_people = np.random.default_rng(5), 80
    person = "person_id" if joined else "who"
    people = {"id" if joined else "who": np.arange(n_people) + 100, "sick": rng.choice(["no", "yes"], n_people)}
    visits = {person: rng.permutation(np.arange(2 * n_people) // 2 + 100), "visit_no": np.arange(2 * n_people) + 1}
    return {"person": pd.DataFrame(people), "visit": pd.DataFrame(visits)}


def _registered(client: Leafspace, tables: dict[str, pd.DataFrame]) -> RelationalDataset:
    return client.register_relational_dataset(tables, examples="person", target="sick")


def test_tables_that_share_nothing_but_a_column_of_ids_give_no_forest(client: Leafspace) -> None:
    dataset = _registered(client, _tables(joined=False))

    assert "declare foreign keys; both have who" in repr(dataset)
    with pytest.raises(LeafspaceError) as refused:
        client.relational_forests.create(dataset)

    assert refused.value.code == "method_not_applicable"
    assert "'visit'" in str(refused.value)
    assert "declare foreign keys" in str(refused.value)
    alone = _registered(client, {"person": _tables(joined=False)["person"].assign(age=np.arange(80) % 7)})
    assert client.relational_forests.create(alone).wait().trees


def test_a_forest_that_learned_ids_by_heart_says_so(client: Leafspace) -> None:
    dataset = _registered(client, _tables(joined=True))

    forest = client.relational_forests.create(dataset, pruning="none").wait()

    out_of_bag, warnings = forest.evaluation.out_of_bag, {each.code: each.detail for each in forest.warnings}
    assert (forest.evaluation.training.accuracy or 0) > 0.9
    assert out_of_bag is not None
    assert (out_of_bag.accuracy or 0) < 0.6
    assert "visit.visit_no" in warnings["tests_ids"]
    assert f"{out_of_bag.accuracy:.1%} of labels out of bag" in warnings["no_better_than_constant"]
    for text in (repr(forest), str(forest)):
        assert text.count("Warning: ") == 2


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
