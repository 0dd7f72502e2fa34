"""Rules that hold in every file of the project."""

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec

from tests.support.sources import PACKAGES, ROOT, imports_of, name_of, own_files, python_files, tree_of

_UNPICKLING = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
_MACHINES_OWN = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+|workspace|mnt|opt/pypi)\b(?!\w)")
_REGISTRIES = re.compile(
    r"pypi\.org|pythonhosted\.org|conda\.anaconda|registry\.npmjs|artifactory|nexus\.|--(?:extra-)?index-url\b|ghcr\.io"
)
# An upper limit on what a clock of the wall shows, which a busy machine exceeds.
_CLOCKED = re.compile(r"assert .*(?:monotonic|perf_counter|\btime)\(\) - [\w\[\]-]+ <=? (?!when_idle)")
# What will surely happen is waited for as long as that takes.
_IMPATIENT = re.compile(r"\.wait\(timeout=\d|deadline = time\.monotonic\(\) \+ \d")
_TEXT = {".py", ".md", ".toml", ".yml", ".txt", ".in", ".json", ".mako", "", ".svg", ".html"}


def _texts() -> list[tuple[str, str]]:
    files = [path for path in own_files() if path.suffix in _TEXT]
    return [(name_of(path), path.read_text(encoding="utf-8")) for path in files]


def test_nothing_is_ever_unpickled() -> None:
    names = re.compile("|".join((*_UNPICKLING, "allow_pickle")))
    for path in python_files():
        if "tests/" in name_of(path):
            continue  # where pickles are made, to be refused
        if not names.search(path.read_text(encoding="utf-8")):
            continue  # quicker than its syntax tree
        assert not {module.partition(".")[0] for module in imports_of(path)} & _UNPICKLING, name_of(path)
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant), name_of(path)
                assert node.value.value is False, name_of(path)


def test_arrays_are_loaded_only_where_pickles_are_refused() -> None:
    loading = [
        (path, node)
        for path in python_files(*PACKAGES)
        if "np.load" in (text := path.read_text(encoding="utf-8")) or "np.save" in text
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"load", "savez", "save"}
        and getattr(node.func.value, "id", "") == "np"
    ]

    assert loading
    for path, node in loading:
        assert "allow_pickle" in {keyword.arg for keyword in node.keywords}, name_of(path)


def test_no_file_speaks_of_the_machine_it_was_written_on_or_of_where_packages_come_from() -> None:
    for name, text in _texts():
        if name == "tests/architecture/test_house_rules.py":
            continue
        assert not _MACHINES_OWN.search(text), (name, _MACHINES_OWN.search(text))
        if not name.startswith("requirements/") or name.endswith(".txt"):
            assert not _REGISTRIES.search(text), (name, _REGISTRIES.search(text))


def test_requirements_are_pinned_with_hashes_and_nothing_else_pins_them() -> None:
    for name in ("runtime.txt", "dev.txt"):
        lines = (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()
        packages = [line for line in lines if re.match(r"[a-zA-Z]", line)]
        assert packages
        assert all("==" in line for line in packages)
        assert sum("--hash=sha256:" in line for line in lines) >= len(packages)
    assert not [name for name, _ in _texts() if name.endswith(("uv.lock", "poetry.lock", "Pipfile.lock"))]


def test_every_file_opens_with_what_it_is_for() -> None:
    for path in python_files(*PACKAGES, "scripts", "benchmarks", "examples"):
        opening = ast.get_docstring(tree_of(path)) or ""
        assert opening.split("\n\n")[0].endswith((".", ":")), name_of(path)


def test_importing_everything_opens_nothing_and_starts_nothing() -> None:
    modules = [
        name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in python_files(*PACKAGES)
        if path.name != "__main__.py" and not re.match(r"\d", path.name) and path.name != "env.py"
    ]
    if find_spec("distributed") is None:
        modules = [name for name in modules if not name.startswith("workers.cluster")]
    program = (
        "import importlib, os, sys, threading\n"
        "files = lambda: {os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') "
        "if os.path.exists(f'/proc/self/fd/{fd}')}\n"
        "before = files()\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "opened = {name for name in files() - before if not name.startswith(('/proc/', '/dev/', '/sys/'))}\n"
        "print(sorted(opened), threading.active_count())\n"
    )

    printed = subprocess.run(  # our own program
        [sys.executable, "-c", program, *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},  # as our own processes have it
    )

    assert printed.stdout.strip() == "[] 1"


def test_what_a_clock_shows_in_tests_is_held_against_an_idle_machine() -> None:
    for path in python_files("tests", "clients"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not _CLOCKED.search(line), f"{name_of(path)}: {line.strip()}: compare with `when_idle(…)`"


def test_what_surely_happens_is_waited_for_on_however_busy_a_machine() -> None:
    for path in python_files("tests", "clients"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not _IMPATIENT.search(line), f"{name_of(path)}: {line.strip()}: wait for `PATIENCE_SECONDS`"
