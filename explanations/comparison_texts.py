"""What comparisons found in sentences: by their job, and in the words of a dictionary whenever one is read."""

from collections.abc import Callable, Iterator, Sequence

from leafspace_drawings.words import number, share, tenths

from schemas.comparisons import ChangedRegion, ComparisonResult, DatasetDrift, ModelChange
from schemas.reports import ShareComparison
from tree_explainers.comparisons.two_samples import SIGNIFICANCE

_MOST_NAMED = 5  # features of the summary
_UNSEEN = "what changed in ways that the model does not read is not seen"
_NOT_SHOWN = "effects of features that are hidden"


def summary_of(
    result: ComparisonResult, name_of: Callable[[str], str] = str, class_name: Callable[[str], str] = str
) -> str:
    """Return the summary of a result.

    ``name_of`` returns what a feature is called, ``class_name`` what a class or an outcome is.
    """
    if result.models is not None:
        return summary_of_models(result.models, result.n_rows)
    assert result.datasets is not None  # one of both is compared
    return summary_of_datasets(result.datasets, result.n_rows, result.n_other_rows or 0, name_of, class_name)


def summary_of_models(changed: ModelChange, n_rows: int) -> str:
    """Return what a comparison of two models found."""
    if changed.n_changed is None or changed.share_changed is None or changed.interval is None:
        amount = (
            f"The values of {n_rows:,} rows differ by {number(changed.mean_absolute_difference or 0)} on average, "
            f"the other model's being {_higher(changed.mean_difference or 0)}"
        )
    else:
        low, high = changed.interval.low, changed.interval.high
        amount = (
            f"{changed.n_changed:,} of {n_rows:,} rows ({tenths(changed.share_changed)}, 95 % interval "
            f"{tenths(low)} to {tenths(high)}) have another outcome"
        )
    return f"{amount}. {_where(changed.regions, is_share=changed.n_changed is not None)}{_shared(changed)}"


def _higher(difference: float) -> str:
    """Return by how much values are higher or lower than others, or that they are as high."""
    if difference == 0:
        return "as high as the model's"
    return f"{number(abs(difference))} {'higher' if difference > 0 else 'lower'}"


def _where(regions: Sequence[ChangedRegion], *, is_share: bool) -> str:
    if not regions:
        return "No rule says where."
    first = regions[0]
    what = f"{share(first.changed)} of the rows changed" if is_share else f"values differ by {number(first.changed)}"
    return f"Where {first.text}, {what}: {share(first.share_of_change)} of all change."


def _shared(changed: ModelChange) -> str:
    if changed.neighbors is None:
        return ""
    shown = changed.neighbors
    return (
        f" Of a row's {shown.n_neighbors} nearest rows, both models have {share(shown.share)} in common "
        f"({share(shown.by_chance)} by chance)."
    )


def summary_of_datasets(
    drift: DatasetDrift,
    n_rows: int,
    n_other_rows: int,
    name_of: Callable[[str], str] = str,
    class_name: Callable[[str], str] = str,
) -> str:
    """Return what a comparison of two datasets found; the names are as of ``summary_of``."""
    if drift.conclusion == "too_few_rows":
        return (
            f"Nothing is concluded: {n_rows:,} and {n_other_rows:,} rows are compared, and either side needs "
            f"{drift.min_rows} or more."
        )
    typicality = drift.typicality
    if drift.conclusion == "no_difference_seen":
        return (
            f"No difference is more than chance would explain, at 95 % for all together. This does not show that "
            f"nothing has changed: a distance of typicality below {typicality.detectable_distance:.2f} may go unseen, "
            f"and {_UNSEEN}."
        )
    shown = [*_named(drift, name_of, class_name)] or [_NOT_SHOWN]
    verb = "differs" if len(shown) == 1 else "differ"
    claim = f"{'; '.join(shown)}: {'this' if len(shown) == 1 else 'these'} {verb} by more than chance would explain"
    return (
        f"{claim[0].upper()}{claim[1:]}, at 95 % for all together, for rows that were drawn independently; {_UNSEEN}."
    )


def _named(drift: DatasetDrift, name_of: Callable[[str], str], class_name: Callable[[str], str]) -> Iterator[str]:
    """Yield what differs, in words."""
    typicality = drift.typicality
    if typicality.p_value <= SIGNIFICANCE:
        yield (
            f"typicality (distance {typicality.distance:.2f}, median proximity {typicality.other_median:.2f} after "
            f"{typicality.median:.2f})"
        )
    if typicality.unreachable.differs:
        yield f"the share of rows like none before ({_change(typicality.unreachable)})"
    for each in drift.outcomes:
        if each.rows.differs:
            yield f"the share of “{class_name(each.outcome)}” ({_change(each.rows)})"
    if drift.values is not None and drift.values.p_value <= SIGNIFICANCE:
        yield f"predicted values (distance {drift.values.distance:.2f})"
    if drift.features_moved:
        some, n_more = drift.features_moved[:_MOST_NAMED], len(drift.features_moved) - _MOST_NAMED
        names = [*map(name_of, some), *([f"{n_more} more"] if n_more > 0 else [])]
        yield f"effects of {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}"


def _change(shares: ShareComparison) -> str:
    return f"{tenths(shares.share or 0)} after {tenths(shares.reference_share or 0)}"
