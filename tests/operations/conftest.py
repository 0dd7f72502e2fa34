"""What the tests of operations look at: a small model and all that it takes to explain it."""

import pytest

from tests.support.additive_effects import effects_add_up
from tests.support.api import Registered

__all__ = ["effects_add_up"]


@pytest.fixture(scope="module")
def registered(forest: Registered) -> Registered:
    return forest
