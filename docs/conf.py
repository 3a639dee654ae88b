"""How the site of the documentation is built: ``make docs``."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "phasezoo"
author = "The phasezoo developers"
copyright = author
release = version_of("phasezoo")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "site_pages",
]
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure"]  # transcripts are no sh to the letter

myst_heading_anchors = 4  # as many as GitHub: pages are read there too
myst_enable_extensions = ["colon_fence", "attrs_block"]

nb_execution_mode = "auto"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

nitpicky = True
# No other project's inventory is read, so that the site is built without a network: their names
# lead nowhere, and that is no fault of ours.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!phasezoo\b).*"),
    (r"py:.*", r"phasezoo\..*\b_\w+.*"),
]

html_theme = "furo"
html_title = f"phasezoo {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
copybutton_exclude = ".linenos, .gp, .go"
