"""Where the team's shared data and hostile files are found, if they are there."""

import os
from pathlib import Path

import pytest

_ROOT = Path(os.environ.get("LEAFSPACE_SHARED", Path(__file__).parents[2].parent / "shared"))


def shared_path(name: str) -> Path:
    """Return the path of a shared file or folder; skip the calling test where it is absent.

    ``LEAFSPACE_SHARED`` names the folder (default: ``../shared`` beside the project). With
    ``LEAFSPACE_REQUIRE_SHARED=1`` absence is a failure, so that a build that should see the data cannot pass without.
    """
    path = _ROOT / name
    if path.exists():
        return path
    message = f"{name} is not in {_ROOT}; set LEAFSPACE_SHARED to the folder that holds it"
    if os.environ.get("LEAFSPACE_REQUIRE_SHARED") == "1":
        pytest.fail(message)
    pytest.skip(message)
