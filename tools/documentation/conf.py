"""Sphinx's settings of the site; the pages are gathered by `tools.documentation.build`."""

from assay._version import __version__

project = "assay"
author = "The assay developers"
copyright = "The assay developers"  # noqa: A001 (Sphinx's word)
release = version = __version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "text"  # what has no name is what a terminal shows
numpydoc_show_class_members = False
autodoc_typehints = "none"
toc_object_entries = False  # every name has its heading
html_theme = "pydata_sphinx_theme"
html_title = "assay"
html_theme_options = {
    "use_edit_page_button": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["assay.css"]
html_sidebars = {page: [] for page in ("index", "docs/questions", "docs/start")}
"""Pages without others below or beside them have no list of them."""
exclude_patterns: list[str] = []
suppress_warnings = [
    "myst.header",  # pages begin sections where it reads well
    "misc.highlighting_failure",  # what a command printed is no Python
    "toc.not_included",  # notes for maintainers are linked, not listed
    "myst.xref_missing",  # `build.broken_links` looks at the pages as they are in the end
]
nitpicky = False
