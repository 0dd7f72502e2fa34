"""What tests of prototype jobs call by short names."""

from tests.workers.jobs.conftest import FindCase

__all__ = ["FindCase"]
