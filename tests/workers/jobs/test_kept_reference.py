"""The file of all reference rows is made once for a model and a dataset, and is the same as if it were made again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explanations.reference_file import write_reference_file
from schemas.prototype_sets import PROTOTYPE_SETS
from tests.support.models import fitted
from tests.support.workshop import Workshop, workshop_in
from workers.jobs import searched_rows

_FIRST: dict[str, Any] = {"n_prototypes": 4, "min_leaf_rows": 1}


class _Sets:
    """Prototype sets of one model and dataset in a store of their own."""

    def __init__(self, workshop: Workshop) -> None:
        model = fitted("random_forest_binary")
        rows = pd.DataFrame(model.features, columns=list(model.rows.names)).assign(t=model.target)
        self.workshop = workshop
        self._made_from = {
            "model": workshop.register_model(
                model.onnx, feature_names=list(model.rows.names), ensemble="random_forest"
            ),
            "dataset": workshop.register_dataset(rows, target="t"),
        }

    def file(self, **request: object) -> str:
        """Return the object that a set has for its reference rows."""
        made = self.workshop.make(**self._made_from, **request)
        assert made.status == "ready", made.problem
        return self.workshop.context.artefacts.get(PROTOTYPE_SETS.name, made.id).files["reference_rows"]

    def path(self, sha256: str) -> Path:
        return self.workshop.context.settings.data_dir / "objects" / sha256[:2] / sha256


@pytest.fixture
def sets(tmp_path: Path) -> Iterator[_Sets]:
    with workshop_in(tmp_path) as workshop:
        yield _Sets(workshop)


@pytest.mark.parametrize("second", [{"n_prototypes": 6}, {"n_prototypes": 4, "seed": 1}, {"method": "k_medoids"}])
def test_another_choice_among_the_same_rows_makes_no_file_again(
    monkeypatch: pytest.MonkeyPatch, sets: _Sets, second: dict[str, Any]
) -> None:
    first = sets.file(**_FIRST)
    monkeypatch.setattr(searched_rows, "write_reference_file", lambda *_: pytest.fail("it was made again"))

    assert sets.file(**{**_FIRST, **second}) == first
    assert sets.path(first).stat().st_nlink == 1  # the link of the job's workspace is gone


@pytest.mark.parametrize(
    "second",
    [
        {"n_prototypes": 6},
        {"min_leaf_rows": 5},
        {"min_leaf_rows": "auto"},
        {"labels": "target"},
        {"nearest_rows": {"min_leaf_rows": 3}},
    ],
)
def test_the_file_is_what_it_would_be_without_an_earlier_set(
    sets: _Sets, tmp_path_factory: pytest.TempPathFactory, second: dict[str, Any]
) -> None:
    request = {**_FIRST, **second}
    with workshop_in(tmp_path_factory.mktemp("alone")) as other:
        alone = _Sets(other).file(**request)

    sets.file(**_FIRST)
    sets.file(**{**_FIRST, "min_leaf_rows": "auto"})

    assert sets.file(**request, seed=1) == alone


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_a_file_that_is_lost_is_made_again(sets: _Sets, damage: str) -> None:
    first = sets.file(**_FIRST)
    path = sets.path(first)
    content = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(b"x" + content[1:]) if damage == "changed" else path.unlink()

    assert sets.file(**_FIRST, seed=1) == first
    assert path.read_bytes() == content


def test_a_file_of_another_revision_is_not_taken(monkeypatch: pytest.MonkeyPatch, sets: _Sets) -> None:
    sets.file(**_FIRST)
    made: list[tuple[Any, ...]] = []

    def write(*parts: Any) -> None:
        made.append(parts)
        write_reference_file(*parts)

    monkeypatch.setattr(searched_rows, "write_reference_file", write)
    monkeypatch.setattr(type(PROTOTYPE_SETS), "revision", PROTOTYPE_SETS.revision + 1, raising=False)

    sets.file(**_FIRST, seed=1)

    assert len(made) == 1
