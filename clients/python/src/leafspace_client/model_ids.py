"""Model ids: what names a model, be it the model, an explainer of it, or the name of one."""

from .calls import Program, fetch
from .contract.explainer_names import get_explainer_name
from .contract.explainers import get_explainer
from .nouns import Identified, id_of


def model_of(thing: Identified) -> Program[str]:
    """Return the id of a model: its own, that of an explainer, or that of the explainer that a name means."""
    known = id_of(thing)
    if "_" not in known:  # which names of explainers never have, and ids always
        known = (yield from fetch(get_explainer_name(known))).explainer
    if known.startswith("xpl_"):
        return str((yield from fetch(get_explainer(known))).model)
    return known
