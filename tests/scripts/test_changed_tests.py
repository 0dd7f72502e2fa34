"""After a change the nearest tests are run first: those named after it, then those that import it."""

from scripts.changed_tests import module_of, nearest_tests, within_seconds

_MODULE = "tree_explainers/maps/trustworthiness.py"


def test_tests_that_import_a_changed_module_come_in_the_order_of_steps() -> None:
    near = nearest_tests([_MODULE])

    nearest = {"tests/tree_explainers/maps/test_maps.py", "tests/contract/test_maps.py"}
    assert nearest <= set(near[:5])
    assert "tests/storage/test_jobs.py" not in near


def test_a_changed_test_and_those_named_after_a_changed_module_come_first() -> None:
    near = nearest_tests(["tests/storage/test_jobs.py", "service/routes/maps.py"])

    first = near[: near.index("tests/storage/test_jobs.py") + 1]
    assert {"tests/contract/test_maps.py", "tests/storage/test_jobs.py"} <= set(first)


def test_no_change_needs_no_test() -> None:
    assert nearest_tests([]) == []


def test_files_are_taken_while_their_seconds_last() -> None:
    seconds = {"slow": 300.0, "medium": 60.0, "other": 60.0}

    assert within_seconds(["medium", "slow", "other", "quick"], seconds) == ["medium", "quick"]


def test_modules_are_named_as_they_are_imported() -> None:
    assert module_of("clients/python/src/leafspace_client/maps.py") == "leafspace_client.maps"
    assert module_of("tests/support/__init__.py") == "tests.support"
