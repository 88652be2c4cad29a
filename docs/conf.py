# SPDX-License-Identifier: Apache-2.0
"""Settings of the documentation site: Sphinx over the pages of docs/. `make docs` builds it; scripts/make-site gives
the folders: HOOKE_API_XML, what Doxygen wrote of the headers, and HOOKE_VERSION. The package `hooke` is on the path."""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "site"))

project = "Hooke"
author = "the Hooke authors"
copyright = "the Hooke authors, Apache-2.0"
version = release = os.environ.get("HOOKE_VERSION", "")

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "hooke_pages"]
source_suffix = {".md": "markdown"}
root_doc = "index"
smartquotes = False  # q' is a transpose, --step an option

# Markdown as GitHub shows it: anchors of headings, and links that hooke_pages leads to files of the tree
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto", "tree"]

# the C interface
breathe_projects = {"hooke": os.environ.get("HOOKE_API_XML", "../build/docs/api/xml")}
breathe_default_project = "hooke"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
c_id_attributes = ["HK_API"]
primary_domain = "c"

# the Python package; what stands between backticks in its comments is code
default_role = "literal"
autodoc_mock_imports = ["gymnasium"]  # of hooke.gym; the site needs none
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False
autodoc_type_aliases = {name: name.removeprefix("npt.") for name in ("Array", "Path", "Progress", "Value", "Controller", "npt.ArrayLike")}

html_theme = "furo"
pygments_style = "friendly"
html_title = f"Hooke {version}"
html_static_path = ["site/static"]
html_css_files = ["hooke.css"]
html_favicon = "site/static/hooke.svg"
html_show_sphinx = False
html_copy_source = False
html_use_index = True
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5c96", "color-brand-content": "#1d5c96",
                            "color-api-name": "#8a3b12", "color-api-pre-name": "#8a3b12"},
    "dark_css_variables": {"color-brand-primary": "#7ab8ee", "color-brand-content": "#7ab8ee",
                           "color-api-name": "#f0b37e", "color-api-pre-name": "#f0b37e"},
}
