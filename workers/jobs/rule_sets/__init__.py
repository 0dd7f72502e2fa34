"""Rule sets: an ensemble told in a few rules, which are fitted, searched, judged and told."""

from .job import make_rule_set

__all__ = ["make_rule_set"]
