"""The pieces of which the pages of the site are made."""
from __future__ import annotations

import base64
import re
import sys
from html import unescape
from pathlib import Path

import pytest

import minigrad as torch
from minigrad.book.build.reader import build_reader, markdown, site
from minigrad.book.build.reader.code_as_html import COLOURED, listing
from minigrad.book.build.reader.shown_outputs import Pictures, error, output, tidy
from minigrad.book.build.reader.written_links import linked
from minigrad.book.classroom.helping import NOTEBOOKS
from minigrad.book.content.chapters import exercise
from minigrad.book.content.glossary import GLOSSARY
from minigrad.viz import draw, play
from minigrad.viz.drawing.image import OPENS, slim
from tests.helpers.contrast import contrast

NUMBERS = [int(path.name[:2]) for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))]


def test_every_word_is_unique_and_leads_somewhere():
    names = {term.name for term in GLOSSARY}
    assert len(names) == len(GLOSSARY) == len({term.anchor for term in GLOSSARY})
    assert all(name in names for term in GLOSSARY for name in term.see)
    forms = [form.lower() for term in GLOSSARY for form in (term.name, *term.forms)]
    assert len(set(forms)) == len(forms)
    assert all(term.meaning.endswith(".") and len(term.meaning) < 260 for term in GLOSSARY)


def test_words_are_linked_once_and_where_they_are_bold():
    html = linked("<p>A leaf, a <code>leaf</code>, then a <strong>leaf</strong> and leaves.</p>", ())
    assert html.count("<a ") == 1
    assert '<strong><a class="term" href="glossary.html#leaf">leaf</a></strong>' in html
    assert linked("<p>Two leaves. A leaf.</p>", ()) == (
        '<p>Two <a class="term" href="glossary.html#leaf">leaves</a>. A leaf.</p>')
    assert linked("<p><code>no_grad</code></p><pre><code>no_grad</code></pre>", ()) == (
        '<p><code><a class="term" href="glossary.html#no-grad">no_grad</a></code></p>'
        "<pre><code>no_grad</code></pre>")
    untouched = ("<h2>A leaf</h2><pre>leaf</pre><a href='x'>leaf</a>"
                 "<p>leaflet, my-leaf, leaf.grad, in place of, it leaves a</p>")
    assert linked(untouched, ()) == untouched


def test_chapters_and_misconceptions_are_linked_if_they_are_there():
    text = "<p>From chapters 3, 4 and 6, (M12), chapter 7; M99.</p>"
    html = linked(text, [3, 4, 6], here=6)
    assert html == ('<p>From <a href="chapter-03.html">chapters 3</a>, <a href="chapter-04.html">4</a> and '
                    '6, (<a href="belief-M12.html">M12</a>), chapter 7; M99.</p>')


@pytest.mark.parametrize("lines", [1, 60, 61, 300])
def test_what_was_printed_is_folded_below_its_first_line_if_it_is_long(lines, tmp_path):
    words = "\n".join(["It is <loaded>.", *map(str, range(lines - 1))]) + "\n"
    html = output({"output_type": "stream", "name": "stdout", "text": words}, Pictures(tmp_path))
    assert unescape(html.partition('<pre class="out">')[2].partition("</pre>")[0]) == words.rstrip()
    summary = f"<details><summary>It is &lt;loaded&gt;. ({lines} lines)</summary>"
    assert html.startswith(summary if lines > 60 else "<pre") and html.count("<details>") == (lines > 60)


def test_a_picture_is_a_file_with_words_beside_it(tmp_path):
    pictures, svg = Pictures(tmp_path), '<svg width="300pt" height="150pt"></svg>'
    for _ in range(2):
        html = pictures.figure(svg, "Graph behind <y>\nn0 leaf x")
    file, = (tmp_path / "pictures").iterdir()
    assert file.read_text(encoding="utf-8") == svg
    assert f'<img src="pictures/{file.name}" alt="Graph behind &lt;y&gt; The words below' in html
    assert 'width="400" height="200"' in html
    assert "<pre>Graph behind &lt;y&gt;\nn0 leaf x</pre>" in html


def test_a_drawing_of_a_notebook_is_a_file_that_opens_large(tmp_path):
    drawn = draw(torch.tensor(2., requires_grad=True).exp())
    for data in (drawn._repr_mimebundle_(), {"text/html": f"<p>words</p>{drawn.html}<p>more</p>"}):
        html = output({"output_type": "display_data", "data": data}, Pictures(tmp_path))
        [file] = (tmp_path / "pictures").iterdir()
        assert file.read_text("utf-8") == slim(drawn.svg)
        assert f'<img src="pictures/{file.name}"' in html and OPENS in html and "base64" not in html


def test_errors_lead_to_the_clinic(tmp_path):
    message = "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert 'href="error-not-scalar.html"' in error(message)
    stream = {"output_type": "stream", "text": [f"before\n{message}\n{message}\n"]}
    printed = output(stream, Pictures(tmp_path))
    assert printed.count('href="error-not-scalar.html"') == 1
    assert "clinic" not in error("ValueError: 4 < 5")
    assert "4 &lt; 5" in error("ValueError: 4 < 5")


def test_what_was_made_for_a_notebook_is_tidied(tmp_path):
    assert tidy('<pre role="a">a</pre><table><tbody></tbody></table>', Pictures(tmp_path)) == (
        '<pre role="a" class="said">a</pre><div class="wide"><table><tbody></tbody></table></div>')


def test_a_png_of_a_notebook_is_a_file_of_its_own(tmp_path):
    data = base64.b64encode(b"a picture").decode()
    html = tidy(f"<img alt=a src='data:image/png;base64,{data}'>" * 2, Pictures(tmp_path))
    file, = tmp_path.glob("pictures/*.png")
    assert file.read_bytes() == b"a picture" and data not in html
    assert html.count(f'src="pictures/{file.name}"') == 2


def test_the_kinds_of_words_that_code_keeps_are_those_that_have_a_colour():
    css = (Path(site.__file__).parent / "reader.css").read_text(encoding="utf-8")
    rules = re.findall(r"^((?:\.\w{1,2}(?:, )?)+) \{ color", css, re.MULTILINE)
    assert {one.strip(" .") for rule in rules for one in rule.split(",")} == COLOURED
    pytest.importorskip("pygments")
    assert listing("x = None  # why").removeprefix('<pre class="code"><code>') == (
        'x = <span class="kc">None</span>  <span class="c1"># why</span></code></pre>')


def test_code_is_escaped_and_numbered():
    html = listing('x = "<b>"\n\ny = 3', numbered=True)
    assert html.count('<span class="line">') == 3
    assert "<b>" not in html
    assert unescape(re.sub("<[^>]+>", "", html)) == 'x = "<b>"\n\ny = 3\n'  # what somebody copies
    assert listing("x\ny", numbered=True, marked=[2]).count('<span class="line marked">') == 1


def test_callouts_and_tables_are_marked():
    html = markdown.polished("<blockquote>\n<p><strong>⚠ Trap</strong> no</p></blockquote>")
    assert html == '<blockquote class="trap"><p><strong>⚠ Trap</strong> no</p></blockquote>'
    html = markdown.polished('<table style="width:9%"><th>a</th></table>')
    assert html == '<div class="wide"><table style="width:9%"><th scope="col">a</th></table></div>'
    assert markdown.scrolling('<table><th scope="col"> </th></table>') == (
        '<div class="wide"><table><td></td></table></div>')  # an empty corner is no heading
    html = markdown.words("`a < b` and **c**, 2 ** 3")
    assert html == "<code>a &lt; b</code> and <strong>c</strong>, 2 ** 3"


def test_without_pandoc_one_line_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    with pytest.raises(ImportError, match="^the reader needs pandoc: pip install -r requirements-"):
        build_reader(NUMBERS[:1], tmp_path)


def test_a_player_plays_in_a_page(tmp_path):
    """Its slider and its buttons are part of what the cell showed, and need no kernel."""
    x = torch.tensor(3., requires_grad=True)
    shown = {"output_type": "execute_result", "data": play(x * x)._repr_mimebundle_()}
    html = output(shown, Pictures(tmp_path))
    assert 'class="mgplay"' in html and 'type="range"' in html and "<button" in html


def test_a_cell_that_is_folded_because_it_tells_an_answer_is_folded_here(tmp_path):
    from minigrad.book.build.reader.chapter_body import code_cell

    cell = {"cell_type": "code", "source": "secret = 42", "outputs": [],
            "metadata": {"jupyter": {"source_hidden": True}}}
    html = code_cell(cell, Pictures(tmp_path), 6)
    code = re.search("<details[^>]*><summary>The code of this cell.*?</details>", html, re.DOTALL)[0]
    assert "secret" in code and "secret" not in html.replace(code, "")


def test_common_answers_are_answered():
    from minigrad.book.build.reader.chapter_body import helps
    html = helps(exercise("6b"))
    assert "<code>[30, 10, 40, 30, 10]</code>" in html
    assert 'href="belief-M02.html"' in html
    assert "None" not in helps(exercise("8b"))


def test_the_style_sheet_cares_for_everybody():
    style = (Path(site.__file__).parent / "reader.css").read_text(encoding="utf-8")
    for part in ("prefers-color-scheme: dark", "@media print", ":focus-visible", ".skip:focus"):
        assert part in style
    assert not re.search(r"\btransition|\banimation", style)
    light, dark = (dict(re.findall(r"--(\w+): (#[0-9a-f]+)", block))
                   for block in style.split("@media", 2)[:2])
    for theme in (light, dark):
        for name in set(theme) - {"paper", "plate", "line"}:
            assert contrast(theme[name], theme["paper"]) >= 4.5, name
            assert contrast(theme[name], theme["plate"]) >= 4.5, name
