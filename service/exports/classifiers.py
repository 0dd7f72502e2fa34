"""The nearest-prototype classifier as code: one expression of standard SQL, or Python functions without imports.

Both follow a row through each tree, cut down to the prototypes' leaves, add up the weights of the leaves that it
shares, and take the first prototype of the largest sum.
"""

from collections.abc import Iterator, Sequence

from schemas.prototype_classifiers import ClassifierTest, CutTree, PrototypeClassifier
from storage.errors import StorageError

from ..sql_queries.expressions import ABOUT_NAN, NEVER, number, sql_name, sql_text, sql_value
from .terms import ABOUT_ROWS, python_text, python_tuple, python_value

_BEYOND_32_BITS = 2**31
_ADDED_TOGETHER = 50  # sums are nested no deeper than databases allow
_COLUMNS_TOGETHER = 500

_PREDICT = f'''\
def predict(row):
    """Return what the nearest prototype has; None for a row that shares no leaf with any of them.

    {ABOUT_ROWS}
    """
    nearest, _ = nearest_prototype(row)
    return None if nearest is None else _GIVEN[nearest]


def nearest_prototype(row):
    """Return the 0-based rank of the nearest prototype, the first of equally near ones, and its proximity.

    Of a row that shares no leaf with any prototype: None and 0.
    """
    answers = {{}}
    proximities = [0] * len(_GIVEN)
    for weight, at, nodes, leaves in _TREES:
        while at >= 0:
            test, yes, no = nodes[at]
            if test not in answers:
                answers[test] = _holds(row, *_TESTS[test])
            at = yes if answers[test] else no
        for prototype, leaf in enumerate(leaves):
            if leaf == -1 - at:
                proximities[prototype] += weight
    largest = max(proximities)
    return (proximities.index(largest), largest / _TOTAL_WEIGHT) if largest else (None, 0.0)


def _holds(row, name, ranges, texts, is_among, or_missing, missing_text):
    value = row[name]
    if ranges is None:
        value = value if value is None or value != value or isinstance(value, str) else str(value)
        return or_missing if value is None or value != value or value == missing_text else (value in texts) == is_among
    if value is None or value != value:
        return or_missing
    return any((low is None or value > low) and (high is None or value <= high) for low, high in ranges) == is_among


'''


def write_classifier_python(content: PrototypeClassifier) -> str:
    """Return the source of ``predict`` and ``nearest_prototype``."""
    tests = "".join(f"    {_python_test(content, test)},\n" for test in _readable(content).tests)
    trees = "".join(f"    {_python_tree(tree)},\n" for tree in content.trees)
    return (
        f"{_PREDICT}_TOTAL_WEIGHT = {content.total_weight}\n"
        f"_GIVEN = {python_tuple(map(python_value, _predictions(content)))}\n"
        f"_TESTS = (\n{tests})\n_TREES = (  # weight, where rows begin, nodes, leaf of each prototype\n{trees})\n"
    )


def _python_test(content: PrototypeClassifier, test: ClassifierTest) -> str:
    feature = content.features[test.feature]
    ranges = python_tuple(f"({_end(each.above)}, {_end(each.up_to)})" for each in test.ranges)
    is_text = feature.type == "category"
    missing = "None" if feature.missing_text is None else python_text(feature.missing_text)
    texts = python_tuple(map(python_text, test.texts))
    of_values = f"None, {texts}" if is_text else f"{ranges}, ()"
    return f"({python_text(feature.name)}, {of_values}, {test.is_among}, {test.or_missing}, {missing})"


def _end(end: float | None) -> str:
    return "None" if end is None else number(end)


def _python_tree(tree: CutTree) -> str:
    nodes = python_tuple(map(str, tree.nodes))
    return f"({tree.weight}, {tree.root}, {nodes}, {python_tuple(map(str, tree.leaves))})"


def write_classifier_sql(content: PrototypeClassifier) -> str:
    """Return what the nearest prototype has as an SQL expression over the features; NULL where no leaf is shared.

    Its inner queries read no table: the leaf of each tree, then the sum of each prototype. It runs in SQLite,
    PostgreSQL and DuckDB, whose optimizer takes more than the square of the number of trees (docs/methods.md says what
    to do about that).
    """
    conditions = [_sql_condition(content, test) for test in _readable(content).tests]
    leaves = [f"{_sql_tree(tree, conditions)} AS {_leaf(index)}" for index, tree in enumerate(content.trees)]
    groups = [leaves[first : first + _COLUMNS_TOGETHER] for first in range(0, len(leaves), _COLUMNS_TOGETHER)]
    sources = " CROSS JOIN\n    ".join(
        "(SELECT\n      " + ",\n      ".join(group) + f") AS leafspace_leaves_{order}"
        for order, group in enumerate(groups)
    )
    sums = [f"{_sum_of(content, rank)} AS {_sum(rank)}" for rank in range(len(content.prototypes))]
    near = "SELECT\n    " + ",\n    ".join(sums) + f"\n    FROM {sources}"
    cases = "".join(_sql_case(content, rank) for rank in range(len(content.prototypes)))
    return f"(\n  {ABOUT_NAN}\n  SELECT CASE\n{cases}  END FROM ({near}) AS leafspace_sums\n)\n"  # noqa: S608  # of quoted names


def _sql_tree(tree: CutTree, conditions: Sequence[str]) -> str:
    """Return the leaf that a row comes to, each by its whole path: databases limit how deep cases nest. 0: another."""
    cases = [f"WHEN {' AND '.join(path)} THEN {leaf}" for leaf, path in _paths(tree, conditions) if path]
    return f"CASE {' '.join(cases)} ELSE 0 END" if cases else str(-1 - tree.root)


def _paths(tree: CutTree, conditions: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the leaves of prototypes, with the conditions on the way there, which are never NULL."""
    open_: list[tuple[int, list[str]]] = [(tree.root, [])]
    while open_:
        at, path = open_.pop()
        if at < -1:
            yield -1 - at, path
        elif at >= 0:
            test, yes, no = tree.nodes[at]
            open_ += [(no, [*path, f"NOT {conditions[test]}"]), (yes, [*path, conditions[test]])]


def _sum_of(content: PrototypeClassifier, rank: int) -> str:
    # Of boosting, weights sum to 2^31, beyond what databases add up in 32 bits.
    nothing = "CAST(0 AS BIGINT)" if content.total_weight >= _BEYOND_32_BITS else "0"
    terms = [
        f"CASE WHEN {_leaf(index)} = {tree.leaves[rank]} THEN {tree.weight} ELSE {nothing} END"
        for index, tree in enumerate(content.trees)
    ]
    while len(terms) > 1:
        parts = [terms[first : first + _ADDED_TOGETHER] for first in range(0, len(terms), _ADDED_TOGETHER)]
        terms = [f"({' + '.join(part)})" for part in parts]
    return terms[0]


def _sql_case(content: PrototypeClassifier, rank: int) -> str:
    others = [f"{_sum(rank)} >= {_sum(other)}" for other in range(rank + 1, len(content.prototypes))]
    conditions = " AND ".join([f"{_sum(rank)} > 0", *others])
    earlier = " AND ".join(f"{_sum(rank)} > {_sum(other)}" for other in range(rank))
    whole = f"{conditions} AND {earlier}" if earlier else conditions
    return f"    WHEN {whole} THEN {sql_value(_predictions(content)[rank])}\n"


def _sql_condition(content: PrototypeClassifier, test: ClassifierTest) -> str:
    feature = content.features[test.feature]
    name = sql_name(feature.name)
    if feature.type == "category":
        inside = f"{name} IN ({', '.join(map(sql_text, test.texts))})" if test.texts else NEVER
        missing = [f"{name} IS NULL"]
        missing += [] if feature.missing_text is None else [f"{name} = {sql_text(feature.missing_text)}"]
        is_missing = f"({' OR '.join(missing)})"
    else:
        value = f"CAST({name} AS INTEGER)" if feature.type == "boolean" else name
        inside = " OR ".join(_sql_range(value, each.above, each.up_to) for each in test.ranges) or NEVER
        is_missing = f"{name} IS NULL"
    # A missing value first, for which comparisons are neither true nor false.
    holds = f"({inside})" if test.is_among else f"NOT ({inside})"
    return f"({is_missing} OR {holds})" if test.or_missing else f"(NOT ({is_missing}) AND {holds})"


def _sql_range(value: str, above: float | None, up_to: float | None) -> str:
    ends: Iterator[str] = (
        f"{value} {sign} {number(end)}" for sign, end in ((">", above), ("<=", up_to)) if end is not None
    )
    return " AND ".join(ends) or f"{value} = {value}"


def _leaf(tree: int) -> str:
    return f"leafspace_leaf_{tree}"


def _sum(rank: int) -> str:
    return f"leafspace_sum_{rank}"


def _predictions(content: PrototypeClassifier) -> list[float | str]:
    return [each.value if each.label is None else each.label for each in content.prototypes]  # type: ignore[misc]  # one of them


def _readable(content: PrototypeClassifier) -> PrototypeClassifier:
    """Return the classifier; refuse one that has no form in raw features."""
    if content.refusal is not None:
        raise StorageError("method_not_applicable", content.refusal)
    return content
