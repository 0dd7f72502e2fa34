"""Write the table of versions of Python into docs/releases.md: wheels of all dependencies, and the quickstart on each.

It takes the distributions that ``make release`` leaves in ``dist/``, and needs packages from an index. A version whose
interpreter is not on this machine is not tried, and the table says so; ``PATH`` may name folders of more interpreters.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.generated_parts import write_part
from scripts.release.building import ROOT, ReleaseError
from scripts.release.trial import UV, install, run_quickstart

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_PLATFORMS = {
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux arm64": "aarch64-manylinux_2_28",
    "macOS 14 arm64": "aarch64-apple-darwin",
}
_MACOS = "14.0"
_WITHOUT_WHEELS = re.compile(r"all versions of (\S+) have no usable wheels")
_REQUIREMENTS = "requirements/runtime.in"


def main() -> int:
    """Try every version, write the table, and return the exit status."""
    distributions = sorted((ROOT / "dist").iterdir())
    heading = ["Python", *(f"wheels for {name}" for name in _PLATFORMS), "quickstart from our wheels"]
    rows = [heading, ["---"] * len(heading), *(_row(version, distributions) for version in VERSIONS)]
    return write_part("releases.md", "pythons", "\n".join("| " + " | ".join(row) + " |" for row in rows))


def _row(version: str, distributions: list[Path]) -> list[str]:
    wheels = [_wheels(version, platform) for platform in _PLATFORMS.values()]
    return [version, *wheels, _trial(version, distributions)]


def _wheels(version: str, platform: str) -> str:
    """Return whether the newest libraries that fit together have wheels there, so that nothing is compiled."""
    command = [UV, "pip", "compile", "--quiet", "--upgrade", "--no-header", "--only-binary", ":all:", _REQUIREMENTS]
    options = ["--python-version", version, "--python-platform", platform, "--output-file", os.devnull]
    environment = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": _MACOS}
    solved = subprocess.run(
        [*command, *options], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if solved.returncode == 0:
        return "of all"
    lacking = _WITHOUT_WHEELS.search(solved.stderr)
    return f"not of `{lacking[1]}`" if lacking else "not of all"


def _trial(version: str, distributions: list[Path]) -> str:
    search = [UV, "python", "find", "--no-project", "--no-python-downloads", version]
    interpreter = subprocess.run(search, cwd=ROOT.parent, capture_output=True, text=True, check=False)
    if interpreter.returncode:
        return "not tried: no interpreter where this was written"
    python = interpreter.stdout.strip()
    print(f"Python {version}: installing, compiling and explaining", flush=True)
    with tempfile.TemporaryDirectory(prefix="leafspace-trial-") as folder:
        try:
            install(distributions, Path(folder, "environment"), python)
            run_quickstart(Path(folder, "environment"), Path(folder))
        except ReleaseError as error:
            print(error)
            return "fails"
    return f"runs ({_exact_version(python)})"


def _exact_version(python: str) -> str:
    program = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
