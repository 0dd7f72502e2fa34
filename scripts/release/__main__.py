"""Build, check and try a release; what it leaves in ``dist/`` is what may be uploaded.

``python -m scripts.release`` needs packages from an index; the tutorial of the manual is run where there is one.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from .building import ROOT, ReleaseError, build_twice
from .contents import faults_of
from .trial import install, run_page, run_quickstart

_DIST = ROOT / "dist"
_PAGES = ("docs/tutorial.md",)


def main() -> int:
    """Do all that a machine can do, print what is left for people, and return the exit status."""
    try:
        _make_release()
    except ReleaseError as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    checklist = (ROOT / "RELEASING.md").read_text(encoding="utf-8").partition("## Signed off by a person\n")[2]
    print(f"\nLeft for a person, who signs it off:\n{checklist.rstrip()}")
    return 0


def _make_release() -> None:
    shutil.rmtree(_DIST, ignore_errors=True)
    distributions = build_twice(_DIST)
    print(f"[x] built twice, the same bytes: {', '.join(each.name for each in distributions)}")
    if faults := faults_of(distributions):
        raise ReleaseError("\n".join(faults))
    print("[x] no tests, no machine's folders, one version, licences, a dated changelog, metadata that an index takes")
    with tempfile.TemporaryDirectory(prefix="leafspace-release-") as folder:
        _try(distributions, Path(folder))


def _try(distributions: list[Path], folder: Path) -> None:
    environment = folder / "environment"
    install(distributions, environment)
    print("[x] installed into an empty environment, with the newest libraries that fit", flush=True)
    print(f"[x] the quickstart explained a prediction in {run_quickstart(environment, folder):.0f} s", flush=True)
    for page in map(ROOT.joinpath, _PAGES):
        if not page.exists():
            print(f"[ ] {page.relative_to(ROOT)} does not exist, and was not run")
            continue
        elsewhere = folder / page.stem
        elsewhere.mkdir()
        print(f"[x] {run_page(environment, page, elsewhere)} blocks of {page.name} ran, in a folder of their own")


if __name__ == "__main__":
    sys.exit(main())
