"""DatasetContents: what was read of datasets counts until one is deleted, by whichever process of the host."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from service.admission.shared_memory import SharedMemory, n_bytes_for
from service.caches import dataset_contents
from service.caches.dataset_contents import DatasetContents, Deletions
from service.operations.datasets import delete_dataset
from storage.errors import NotFound
from tests.support.workshop import Workshop, workshop_in


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with workshop_in(tmp_path / "data") as made:
        yield made


def test_what_another_process_deletes_is_read_again(workshop: Workshop, tmp_path: Path) -> None:
    store = workshop.context.datasets
    kept, deleted = (workshop.register_dataset(pd.DataFrame({"x": [1.0, end]})) for end in (2.0, 3.0))
    with (tmp_path / "memory").open("w+b") as file:
        file.truncate(n_bytes_for(2))
        first, second = (DatasetContents(store, Deletions(SharedMemory(file.fileno(), at, 2))) for at in range(2))
        assert first.find(deleted) is None
        contents = {dataset: first.read(dataset) for dataset in (kept, deleted)}
        assert {dataset: first.find(dataset) for dataset in contents} == contents

        delete_dataset(dataclasses.replace(workshop.context, dataset_contents=second), deleted)

        assert first.find(deleted) is None
        with pytest.raises(NotFound):
            first.read(deleted)
        assert first.read(kept) == contents[kept] == first.find(kept)


def test_a_reading_is_trusted_for_less_than_two_seconds(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(dataset_contents, "monotonic", lambda: now)
    dataset = workshop.register_dataset(pd.DataFrame({"x": [1.0, 2.0]}))
    contents = DatasetContents(workshop.context.datasets, Deletions())
    content = contents.read(dataset)
    now += 1.7
    assert contents.find(dataset) == content
    now += 0.2
    assert contents.find(dataset) is None
    assert contents.read(dataset) == contents.find(dataset)
