"""Mean sizes of effects over reference rows are those of the rows' explanations."""

import numpy as np
import pytest

from explanations import mean_effects
from explanations.explained_rows import explain_instances
from explanations.mean_effects import mean_effects_of_reference_rows
from schemas.explanations import ExplanationRequest

from .conftest import FindCase


@pytest.mark.parametrize("name", ["random_forest_binary", "random_forest_regression"])
def test_means_are_those_of_explanations_of_evenly_spaced_reference_rows(
    name: str, find_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = find_case(name).warm
    monkeypatch.setattr(mean_effects, "MAX_ROWS", 40)
    assert warm.reference is not None
    file = warm.reference.open()
    chosen = np.linspace(0, file.n_rows - 1, 40).astype(int)
    rows = [[None if value != value else value for value in row] for row in np.column_stack(file.columns(chosen))]
    request = ExplanationRequest.model_validate({"instances": rows, "n_reasons": "all"})

    means = mean_effects_of_reference_rows(warm)

    explained = [row["effects"] for row in explain_instances(warm, request) if row["status"] != "error"]
    assert means is not None
    assert (means["n_rows"], means["among"]) == (len(explained), file.n_rows)
    assert means["kind"] == explained[0]["reference"]["kind"]
    sizes = [each["effect"] for each in means["mean_absolute_effects"]]
    assert sizes == sorted(sizes, reverse=True)
    for each in means["mean_absolute_effects"]:
        listed = [entry for row in explained for entry in row["features"] if entry["feature"] == each["feature"]]
        expected = sum(abs(entry["effect"]) for entry in listed) / len(explained)
        assert each["effect"] == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_a_model_without_effects_has_no_means(find_case: FindCase) -> None:
    assert mean_effects_of_reference_rows(find_case("ada_boost_binary", "boosting").warm) is None
