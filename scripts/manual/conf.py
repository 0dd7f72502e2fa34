"""How Sphinx builds the manual: `make docs`, from the root of the repository."""

from leafspace_client import __version__

project = "Leafspace"
author = "The Leafspace authors"
project_copyright = author
release = __version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "scripts.manual.pages",
]
# Nothing is loaded from elsewhere: no font, no script, no picture. The search runs in the browser.
html_theme = "furo"
html_title = f"Leafspace {release}"
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_last_updated_fmt = None  # the same sources give the same site
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # as GitHub names them, so that the links of pages hold in both
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures: pages describe those that readers need

# Types stand beside the parameters that they are of. Async twins have the docstrings of what blocks.
autodoc_default_options = {
    "members": True,
    "inherited-members": "Sequence,Exception,dict,list,tuple",
    "exclude-members": "noun, view, contents, program, kind",
}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
