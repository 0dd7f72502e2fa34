"""Every refusal of several tables: its code, where it points, and what it says."""

from pathlib import Path

import pytest

from storage.errors import DatasetRefused
from tests.support.tables_upload import BAD_TABLES, BadTables, read


@pytest.mark.parametrize("case", BAD_TABLES, ids=lambda case: case.name)
def test_bad_tables_are_refused_by_name(case: BadTables, tmp_path: Path) -> None:
    with pytest.raises(DatasetRefused) as refused:
        read(tmp_path, case.files, case.metadata, case.limits)

    assert refused.value.code == case.code
    assert (refused.value.pointer or "") == case.pointer
    assert case.says in refused.value.detail
