"""Label audits: rows whose nearest rows have other labels, ranked and told."""

from .job import make_label_audit

__all__ = ["make_label_audit"]
