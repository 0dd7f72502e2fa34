"""Rule sets in other forms: what is exported is made from the public document alone.

It is neither mathematics nor of the web: another way to write down what is already told, so it stands in the service,
where the document's own types are known.
"""

from .forms import write_rules

__all__ = ["write_rules"]
