"""A new cache of compiled loops has what was compiled from unchanged sources, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from leafspace.loop_sources import begin_cache, source_hashes

_FILES = {
    "__init__.py": "",
    "loops.py": "from .family.helpers import add\n",
    "others.py": "from . import (\n    words,\n)\n",
    "words.py": "",
    "family/__init__.py": "",
    "family/helpers.py": "from ..constants import ONE\n",
    "constants.py": "ONE = 1\n",
}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "loops_of_ours"
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("constants.py", {"constants", "family.helpers", "loops"}),
        ("family/helpers.py", {"family.helpers", "loops"}),
        ("words.py", {"words", "others"}),
        ("others.py", {"others"}),
    ],
)
def test_a_module_s_hash_changes_with_its_file_and_with_all_that_it_imports(
    sources: Path, file: str, changed: set[str]
) -> None:
    before = source_hashes(sources)

    (sources / file).write_text(_FILES[file] + "# changed\n")

    after = source_hashes(sources)
    assert {name for name in after if after[name] != before[name]} == changed


def test_a_new_cache_has_the_compiled_forms_of_unchanged_sources(sources: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "caches" / "first", tmp_path / "caches" / "second"
    begin_cache(first, sources)
    for folder, module in (
        ("loops_of_ours", "loops"),
        ("loops_of_ours", "others"),
        ("loops_of_ours.family", "helpers"),
    ):
        (first / folder).mkdir(exist_ok=True)
        for suffix in ("nbi", "1.nbc", "lock"):
            (first / folder / f"{module}.run-3.py311.{suffix}").write_text(module)
    (first / "primed").touch()
    (sources / "family" / "helpers.py").write_text("ONE = 2\n")

    begin_cache(second, sources)

    assert sorted(str(path.relative_to(second)) for path in second.rglob("*.*")) == [
        "loops_of_ours/others.run-3.py311.1.nbc",
        "loops_of_ours/others.run-3.py311.nbi",
        "sources.json",
    ]
    assert json.loads((second / "sources.json").read_text()) == source_hashes(sources)
    assert [path.name for path in (tmp_path / "caches").iterdir() if path.name.startswith(".")] == []


def test_a_cache_whose_list_of_sources_was_cut_off_gives_nothing_to_the_next_one(sources: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "caches" / "first", tmp_path / "caches" / "second"
    begin_cache(first, sources)
    (first / "loops_of_ours").mkdir()
    (first / "loops_of_ours" / "loops.add-1.py311.nbi").touch()
    os.truncate(first / "sources.json", 9)

    begin_cache(second, sources)

    assert [path.name for path in second.iterdir()] == ["sources.json"]


def test_a_cache_that_is_there_stays_as_it_is(sources: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()

    begin_cache(tmp_path / "cache", sources)

    assert list((tmp_path / "cache").iterdir()) == []


def test_caches_that_no_process_uses_are_deleted_but_for_those_used_last(sources: Path, tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    for number in range(12):
        (caches / f"{number:02}").mkdir(parents=True)
        (caches / f"{number:02}" / "sources.json").write_text("{}")
        os.utime(caches / f"{number:02}", (number, number))
    (caches / "of somebody else").mkdir()
    code = "import sys; from pathlib import Path; from leafspace.loop_sources import begin_cache\n"
    code += "begin_cache(Path(sys.argv[1])); print(flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, caches / "01"], stdin=pipe, stdout=pipe) as user:
        assert user.stdout is not None and user.stdout.readline() == b"\n"  # noqa: PT018  # for the type checker
        os.utime(caches / "01", (1, 1))

        begin_cache(caches / "new", sources)

        user.communicate(b"\n")
    assert user.returncode == 0
    kept = {path.name for path in caches.iterdir()}
    assert kept == {"01", "of somebody else", "new", *(f"{number:02}" for number in range(5, 12))}
    os.utime(caches / "new", (0, 0))

    begin_cache(caches / "newer", sources)

    assert "01" not in {path.name for path in caches.iterdir()}  # nobody uses it any more
    assert (caches / "new").exists()  # this process still does
