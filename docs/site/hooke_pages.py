# SPDX-License-Identifier: Apache-2.0
"""Pages written for GitHub become pages of the site without a change.

- A link to a folder leads to its README.md; one to README.md of the project to the first page.
- A page in docs/site/ stands for the file outside docs/ that it links to: it has that file's text.
- Every other file or folder of the tree that a page links to gets a page that shows it.
- Functions of the extension hooke._core, which say their arguments in words, get a signature from them.
- What a README.md links to in and below its own folder are its children, and the other pages of the folder follow,
  shown as a list; the sections of index.md, each with a list of links, are the parts of the navigation.
"""
import os
import pathlib
import re

from docutils import nodes
from sphinx.directives.code import CodeBlock

DOCS = pathlib.Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s]+)\)")
ITEM = re.compile(r"(?m)^- \[[^\]]*\]\(([^)\s#]+)\)")
LANGUAGES = {".yaml": "yaml", ".yml": "yaml", ".c": "c", ".h": "c", ".def": "c", ".py": "python", ".pyi": "python",
             ".sh": "bash", ".cmake": "cmake", ".json": "json", ".ipynb": "json"}
LARGEST = 300_000  # bytes of a file that is shown


def stand_ins():
    """file outside docs/ -> the page that stands for it"""
    found = {ROOT / "README.md": "index"}
    for page in sorted((DOCS / "site").glob("*.md")):
        found[source_of(page)] = f"site/{page.stem}"
    return found


def source_of(page):
    """the file that a page stands for"""
    return (page.parent / LINK.search(page.read_text(encoding="utf-8"))[2]).resolve()


def page_of(path, stands):
    """the page of a file or folder, or None"""
    if path.is_dir():
        path = path / "README.md"
    if path in stands:
        return stands[path]
    if path.suffix == ".md" and path.is_file() and DOCS in path.parents:
        return path.relative_to(DOCS).with_suffix("").as_posix()
    return None


def outside_code(text, change):
    """the text with `change` applied to what is no block of code"""
    parts = re.split(r"(?ms)(^ *```.*?^ *```$)", text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def site_links(text, base, docname, stands):
    """links as Sphinx wants them: to pages relative to this one, to files of the tree as tree:PATH"""
    here = (DOCS / docname).parent

    def change(match):
        target, _, anchor = match[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = (base.parent / target).resolve()
        page = page_of(path, stands)
        if page:
            target = os.path.relpath(DOCS / f"{page}.md", here)
            return f"{match[1]}{target}{'#' if anchor else ''}{anchor})"
        if match[1].startswith("!"):
            return f"{match[1]}{os.path.relpath(path, here)})"
        if path.exists() and ROOT in path.parents:
            return f"{match[1]}tree:{path.relative_to(ROOT).as_posix()})"
        return match[0]  # Sphinx says that it leads nowhere

    return outside_code(text, lambda part: LINK.sub(change, part))


def children(targets, docname, stands):
    """names of the pages that these links lead to, without this one"""
    here = (DOCS / docname).parent
    pages = [page_of((here / target.partition("#")[0]).resolve(), stands) for target in targets]
    return list(dict.fromkeys(os.path.relpath(DOCS / page, here) for page in pages if page and page != docname))


def toctree(option, pages):
    return "\n".join(["", "```{toctree}", *option, "", *pages, "```", ""]) if pages else ""


def navigation(text, docname, stands):
    """the hidden tables of contents that a page's own lists stand for"""
    if docname == "index":
        sections = re.split(r"(?m)^## ", text)[1:]
        return "".join(toctree([":hidden:", f":caption: {s.splitlines()[0].strip()}"],
                               children(ITEM.findall(s), docname, stands)) for s in sections)
    if docname.endswith("/README"):
        listed = [p for p in children([m[2] for m in LINK.finditer(text)], docname, stands) if not p.startswith("..")]
        folder = (DOCS / docname).parent
        first = (DOCS / "index.md").read_text(encoding="utf-8")
        elsewhere = {DOCS / page for page in children(ITEM.findall(first), "index", stands)}
        others = [p.stem for p in sorted(folder.glob("*.md"))
                  if p.stem not in ("README", *listed) and p.with_suffix("") not in elsewhere]
        return toctree([":hidden:"], listed) + toctree([":maxdepth: 1"], others)
    return ""


def on_source(app, docname, source):
    stands = stand_ins()
    base = DOCS / f"{docname}.md"
    text = source[0]
    if docname.startswith("site/"):
        base = source_of(base)
        app.env.note_dependency(str(base))
        text = base.read_text(encoding="utf-8")
    more = navigation(text, docname, stands)
    source[0] = site_links(text, base, docname, stands) + more


def on_resolved(app, doctree, docname):
    """tree:PATH becomes the page that shows the file"""
    for node in doctree.findall(nodes.reference):
        if node.get("refuri", "").startswith("tree:"):
            path = node["refuri"][len("tree:"):]
            app.hooke_shown.add(path)
            node["refuri"] = app.builder.get_relative_uri(docname, f"tree/{path}")
            node["internal"] = True


def listing(app, name, folder):
    """a folder: its files and folders, which are shown too"""
    rows = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        inner = path.relative_to(ROOT).as_posix()
        app.hooke_shown.add(inner)
        uri = app.builder.get_relative_uri(f"tree/{name}", f"tree/{inner}")
        rows.append(f'<li><a href="{uri}">{path.name}{"/" if path.is_dir() else ""}</a></li>')
    return f"<ul>{''.join(rows)}</ul>"


def shown(app, path):
    """a file as text with colours"""
    data = path.read_bytes()
    if b"\0" in data or len(data) > LARGEST:
        return f"<p>{len(data)} bytes, not shown here.</p>"
    return app.builder.highlighter.highlight_block(data.decode("utf-8", "replace"), LANGUAGES.get(path.suffix, "none"),
                                                   opts={"stripnl": False})


def on_pages(app):
    """a page for each file and folder that pages link to"""
    done = set()
    while app.hooke_shown - done:
        name = min(app.hooke_shown - done)
        done.add(name)
        path = ROOT / name
        body = listing(app, name, path) if path.is_dir() else shown(app, path)
        yield f"tree/{name}", {"title": name, "body": f"<h1>{name}</h1>{body}", "sourcename": ""}, "page.html"


SIGNED = re.compile(r"(\w+)(\([^)]*\)): (.*)", re.S)


def on_signature(app, what, name, thing, options, signature, returned):
    """functions of the extension say their arguments in their first words: `step(n=1): advance by n steps`"""
    found = SIGNED.match(getattr(thing, "__doc__", None) or "") if what == "method" else None
    return (found[2], returned) if found and found[1] == name.rpartition(".")[2] else None


def on_docstring(app, what, name, thing, options, lines):
    found = SIGNED.match("\n".join(lines)) if what == "method" else None
    if found and found[1] == name.rpartition(".")[2]:
        lines[:] = (found[3][:1].upper() + found[3][1:]).split("\n")
    # comments are plain text with code between backticks: |x| is a size, a*b a product
    parts = "\n".join(lines).split("`")
    parts[::2] = [re.sub(r"([|*])", r"\\\1", part) for part in parts[::2]]
    lines[:] = "`".join(parts).split("\n")


def on_finished(app, failed):
    """Debian's theme asks a web server for its first style sheet, and a bundler for its script: pages that are opened
    as files have neither, so both parts are put where they are asked for"""
    static = pathlib.Path(app.outdir) / "_static"
    sheet, script = static / "styles/furo.css", static / "scripts/furo.js"
    if failed or not sheet.is_file():
        return
    text = sheet.read_text(encoding="utf-8")
    asked = re.match(r"@import url\((/javascript/[^)]*)\);", text)
    if asked:
        first = pathlib.Path(f"/usr/share{asked[1]}").read_text(encoding="utf-8")
        sheet.write_text(first + text[asked.end():], encoding="utf-8")
    text = script.read_text(encoding="utf-8")
    asked = re.match(r'import Gumshoe from "./([\w-]+\.js)";', text)
    if asked:
        first = (script.parent / asked[1]).read_text(encoding="utf-8")
        script.write_text(first + text[asked.end():], encoding="utf-8")


def setup(app):
    app.hooke_shown = set()
    app.add_directive("code-cell", CodeBlock)  # of notebooks in Markdown
    app.connect("source-read", on_source)
    app.connect("doctree-resolved", on_resolved)
    app.connect("html-collect-pages", on_pages)
    app.connect("build-finished", on_finished)
    app.connect("autodoc-process-signature", on_signature)
    app.connect("autodoc-process-docstring", on_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
