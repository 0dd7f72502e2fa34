"""Print the test files to run first after a change: those nearest to the changed modules, as far as a minute goes.

``python -m scripts.changed_tests [REVISION]`` compares the working tree with a revision (default: ``main``, from where
the branch left it). Near are the tests that were changed themselves or are named after a changed module, then those
that import one or are named after a module that does, in as few steps as possible. Requests over HTTP are no imports:
``make test`` runs all that is left out.
"""

import functools
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence

import grimp

from tests.support.record_seconds import seconds_of_files
from tests.support.sources import PACKAGES, ROOT, imports_of, name_of, python_files

_SOURCES = ("clients/python/src/", "drawings/src/")
_ALL_PACKAGES = (*PACKAGES, "leafspace_client", "leafspace_drawings", "scripts", "tests")
_SECONDS = 100.0  # of tests, on two cores
_SECONDS_OF_A_FILE = 2.0  # of one whose seconds were not worth recording


def main() -> None:
    """Print the files, one a line, and on standard error how many there are beside them."""
    changed = changed_files(*sys.argv[1:2])
    near = nearest_tests(changed)
    chosen = within_seconds(near, seconds_of_files())
    sys.stdout.write("".join(f"{name}\n" for name in chosen))
    sys.stderr.write(f"{len(chosen)} test files of {len(near)} that {len(changed)} changed files reach\n")


def changed_files(revision: str = "main") -> list[str]:
    """Return the Python files that differ from the revision, and those that git does not know yet."""
    differing = _git("diff", "--name-only", "--merge-base", revision)
    unknown = _git("ls-files", "--others", "--exclude-standard")
    return sorted({name for name in (*differing, *unknown) if name.endswith(".py")})


def nearest_tests(changed: Sequence[str]) -> list[str]:
    """Return all test files that the changed files reach, the nearest first (ties: by name)."""
    steps = _steps_from(module_of(name) for name in changed)
    of_names: dict[str, int] = {}
    for module, n_steps in steps.items():  # the fewest steps first
        of_names.setdefault(module.rpartition(".")[2].removeprefix("test_"), n_steps)
    near: dict[str, int] = {}
    for path in python_files("tests", "clients"):
        if path.name.startswith("test_"):
            module = module_of(name_of(path))
            if module in _imports().modules:
                distances = [steps[module]] if module in steps else []
            else:
                distances = [steps[each] + 1 for each in imports_of(path) if each in steps]
            distances += [of_names[subject] for subject in (path.stem.removeprefix("test_"),) if subject in of_names]
            near |= {name_of(path): min(distances)} if distances else {}
    return sorted(near, key=lambda name: (near[name], name))


def within_seconds(names: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """Return the first of the files, as many as take the time there is; those that are too slow are passed over."""
    chosen, total = [], 0.0
    for name in names:
        cost = seconds.get(name, _SECONDS_OF_A_FILE)
        if total + cost <= _SECONDS:
            chosen.append(name)
            total += cost
    return chosen


def module_of(name: str) -> str:
    """Return the module that a file of the project is."""
    for source in _SOURCES:
        name = name.removeprefix(source)
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _steps_from(modules: Iterable[str]) -> dict[str, int]:
    """Return for each module that imports one of these, itself or through others, the fewest steps that it takes."""
    graph = _imports()
    reached = [module for module in modules if module in graph.modules]
    steps = dict.fromkeys(reached, 0)
    for module in reached:  # grows meanwhile
        for importer in sorted(graph.find_modules_that_directly_import(module)):
            if importer not in steps:
                steps[importer] = steps[module] + 1
                reached.append(importer)
    return steps


@functools.cache
def _imports() -> grimp.ImportGraph:
    return grimp.build_graph(*_ALL_PACKAGES, cache_dir=None)  # a cache would be one more folder to ignore


def _git(*arguments: str) -> list[str]:
    return subprocess.check_output(["git", *arguments], cwd=ROOT, text=True).splitlines()  # noqa: S607  # the caller's git


if __name__ == "__main__":
    main()
