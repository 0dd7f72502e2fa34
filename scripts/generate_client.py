"""Generate the SDK's half that is the contract from openapi.json, or check the committed one against it.

It is ``leafspace_client/contract/``, with a module for each tag of the contract, and the public ``types.py``. What the
modules say is decided in ``contract_modules``; ruff formats them.
"""

import json
import subprocess
import sys
from pathlib import Path

from scripts.contract_modules import modules_of

_ROOT = Path(__file__).parents[1]
_CONTRACT = _ROOT / "openapi.json"
_TARGET = _ROOT / "clients/python/src/leafspace_client"
# Isolated: what ruff makes of the code must not depend on where the folder lies.
_RUFF = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--target-version=py311"]


def main() -> int:
    """Write the modules, or with ``--check`` compare them; return the exit status."""
    contract = json.loads(_CONTRACT.read_text(encoding="utf-8"))
    generated = {_TARGET / name: _formatted(code) for name, code in modules_of(contract).items()}
    present = [*_TARGET.glob("contract/*.py"), *_TARGET.glob("types.py")]
    committed = {path: path.read_text(encoding="utf-8") for path in present}
    paths = generated.keys() | committed.keys()
    differing = sorted(path for path in paths if generated.get(path) != committed.get(path))
    if "--check" not in sys.argv:
        _write(generated, differing)
        return 0
    if differing:
        first = differing[0].relative_to(_ROOT)
        print(f"{len(differing)} files of the client differ from openapi.json, the first is {first}; run `make client`")
    return 1 if differing else 0


def _formatted(code: str) -> str:
    command = [*_RUFF, "--line-length=120", "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout  # our own


def _write(modules: dict[Path, str], differing: list[Path]) -> None:
    for path in differing:
        path.parent.mkdir(exist_ok=True)
        if path in modules:
            path.write_text(modules[path], encoding="utf-8")
        else:
            path.unlink()


if __name__ == "__main__":
    sys.exit(main())
