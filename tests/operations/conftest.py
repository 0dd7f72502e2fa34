"""What the tests of operations look at: a small model and all that it takes to explain it."""

import pytest

from tests.support.api import Registered


@pytest.fixture(scope="module")
def registered(forest: Registered) -> Registered:
    return forest
