"""Distributions tried as those who install them do: in an empty environment and folder, far from the checkout."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .building import ROOT, ReleaseError

UV = str(Path(sys.executable).with_name("uv"))
_OURS = ("LEAFSPACE_", "PYTHON", "VIRTUAL_ENV")
_READY = "Leafspace is ready at "
_ADDRESS = "http://127.0.0.1:8000"  # where pages of the manual say that the service listens
_BLOCK = re.compile(r"^```(?:\{code-block\} )?python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SECONDS_TO_RUN = 1200


def install(distributions: list[Path], environment: Path, python: str = sys.executable) -> None:
    """Make an environment with the newest libraries that the distributions allow, and those alone."""
    _run([UV, "venv", "--quiet", "--python", python, str(environment)], ROOT)
    wheels = [path for path in distributions if path.suffix == ".whl"]
    (service,) = (path for path in wheels if path.name.startswith("leafspace-"))
    others = [str(path) for path in wheels if path != service]
    command = [UV, "pip", "install", "--quiet", "--only-binary", ":all:", "--python", str(environment / "bin/python")]
    _run([*command, f"{service}[quickstart]", *others], environment)
    _run([UV, "pip", "check", "--quiet", "--python", str(environment / "bin/python")], environment)


def run_quickstart(environment: Path, folder: Path) -> float:
    """Run ``leafspace quickstart`` and return how many seconds it took.

    Raises
    ------
    ReleaseError
        If it fails, or explains nothing.
    """
    start = time.monotonic()
    printed = _run([str(environment / "bin/leafspace"), "quickstart"], folder, _home(folder))
    if "All that was started is stopped again" not in printed:
        message = f"the quickstart explained nothing: {printed}"
        raise ReleaseError(message)
    return time.monotonic() - start


def run_page(environment: Path, page: Path, folder: Path) -> int:
    """Run the Python of a page of the manual against a service of its own, and return how many blocks that are."""
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        message = f"{page.name} has no block of Python to run"
        raise ReleaseError(message)
    with _service(environment, folder) as url:
        script = folder / f"{page.stem}.py"
        script.write_text("\n".join(blocks).replace(_ADDRESS, url), encoding="utf-8")
        _run([str(environment / "bin/python"), script.name], folder)
    return len(blocks)


@contextmanager
def _service(environment: Path, folder: Path) -> Iterator[str]:
    command = [str(environment / "bin/leafspace"), "serve", "--port", "0", "--data-dir", str(folder / "data")]
    log = folder / "service.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(), stdout=subprocess.PIPE, stderr=output, text=True
        )
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line.startswith(_READY):
            message = f"the service did not start: {line}{log.read_text(errors='replace')}"
            raise ReleaseError(message)
        yield line.removeprefix(_READY).strip()
    finally:
        process.terminate()
        process.communicate()


def _run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    ended = subprocess.run(
        command,
        cwd=folder,
        env=_environment() | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS_TO_RUN,
    )
    if ended.returncode:
        message = f"{' '.join(command)} failed: {ended.stdout}{ended.stderr}"
        raise ReleaseError(message)
    return ended.stdout


def _environment() -> dict[str, str]:
    """Return what is set on this machine, without what is set for this project."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}


def _home(folder: Path) -> dict[str, str]:
    """Return what makes a machine new: nothing is compiled, and nothing is kept."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data")}
