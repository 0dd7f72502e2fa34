"""Write openapi.json from the code, or check that the committed one is what the code gives."""

import json
import sys
from pathlib import Path

from service.main import build_app

_TARGET = Path(__file__).parents[1] / "openapi.json"


def main() -> int:
    """Write the file, or with ``--check`` compare it; return the exit status."""
    text = json.dumps(build_app().openapi(), indent=1, ensure_ascii=False) + "\n"
    if "--check" not in sys.argv:
        _TARGET.write_text(text)
        return 0
    if _TARGET.exists() and _TARGET.read_text() == text:
        return 0
    print("openapi.json is not what the code gives; run `make client` and commit the result")
    return 1


if __name__ == "__main__":
    sys.exit(main())
