"""Questions of the site and what answers them; its first page, its preview, and the address it leads to."""
from __future__ import annotations

from pathlib import Path

import pytest

from minigrad.book.build import address
from minigrad.book.build.reader import asking, chapter_body, front, site, ways_to_run
from minigrad.book.build.reader.shown_outputs import Pictures
from minigrad.book.content.chapters import question
from tests.helpers.answered_early import OpenText, answered_early

# --- nothing is answered before it is asked

def asks_and_answers(asked, before="", between="", after=""):
    return (f"<main><p>{before}</p>{asking.prediction(asked)}{between}{asking.comparison(asked)}"
            f"<p>{after}</p><h2>Next</h2><p>It <b>saves its result</b>.</p></main>")


def test_a_question_with_closed_answers_is_clean(tmp_path):
    asked = question("6.1")
    (tmp_path / "a.html").write_text(asks_and_answers(asked), encoding="utf-8")
    assert not list(answered_early(tmp_path))
    text = OpenText("<details><summary>seen</summary>unseen<details><summary>no</summary></details></details>"
                    "<details open><p>b  <code>c</code></p></details><pre>d\n e</pre>").text
    assert list(filter(None, text.split("\n"))) == ["seen", "b `c`", "d", " e"]


@pytest.mark.parametrize("place, html, says", [
    ("before", "it <em>saves its result</em>", "'saves its result' is open"),
    ("after", "<code>e</code> saved its result", "'saved its result' is open"),
    ("between", '<pre class="out">e</pre>', "what a cell showed is open"),
    ("between", '<figure class="picture"></figure>', "what a cell showed is open"),
    ("between", "<details open><p>saves its result</p></details>", "'saves its result' is open"),
    ("after", "Each node saves the tensor from which its derivative is computed.", "a sentence of its compa"),
])
def test_what_answers_too_early_is_found(place, html, says, tmp_path):
    (tmp_path / "a.html").write_text(asks_and_answers(question("6.1"), **{place: html}), encoding="utf-8")
    finding, = answered_early(tmp_path)
    assert finding.says.startswith(says) and str(finding).startswith("a.html, question 6.1: ")


def test_an_answer_that_is_missing_is_found(tmp_path):
    (tmp_path / "a.html").write_text(asking.prediction(question("6.1")), encoding="utf-8")
    assert [one.says for one in answered_early(tmp_path)] == ["there is no fold with its answer"]


def test_the_text_that_tells_an_answer_is_closed_until_the_next_heading(tmp_path):
    def body(*texts):
        cells = [{"cell_type": kind, "source": text, "metadata": {"tags": tags}, "outputs": []}
                 for kind, text, tags in texts]
        return chapter_body.body({"cells": cells}, 6, [6], Pictures(tmp_path))

    pytest.importorskip("pypandoc", reason="pip install -r requirements-handouts.txt")
    asked, told = ("code", 'predict("6.1")', ["predict"]), ("markdown", "It saves its result.", [])
    assert '<details class="sealed" data-answers="6.1"><summary>What it means' in body(asked, told)
    assert "sealed" not in body(told, asked)
    assert "sealed" not in body(asked, ("markdown", "## Next", []), told)


# --- the address of the repository, and ways to run a chapter

def test_without_an_address_a_page_says_what_works(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REPOSITORY", raising=False)
    monkeypatch.setattr(address, "REPOSITORY", "")
    html = ways_to_run.panel(6, "")
    assert "python3 start.py" in html and "mybinder" not in html and "https:" not in html
    assert 'property="og:image" content="preview.png"' in site.page("x.html", "x", "")


def test_with_an_address_it_leads_there(monkeypatch):
    monkeypatch.setenv("MINIGRAD_REPOSITORY", "https://github.com/Some-One/minigrad")
    html = ways_to_run.panel(6, "")
    for part in ("https://mybinder.org/v2/gh/Some-One/minigrad/main?urlpath=lab%2Ftree%2Fmy_chapters%2F06_",
                 "https://colab.research.google.com/github/Some-One/minigrad/blob/main/notebooks/06_",
                 "https://github.com/Some-One/minigrad/archive/refs/heads/main.zip"):
        assert part in html
    page = site.page("x.html", "A <b>", "", about="`c` & d")
    assert 'property="og:image" content="https://some-one.github.io/minigrad/preview.png"' in page
    assert 'property="og:url" content="https://some-one.github.io/minigrad/x.html"' in page
    assert 'content="A &lt;b&gt; · ' in page and 'content="`c` &amp; d"' in page


@pytest.mark.parametrize("wrong", ["minigrad", "https://github.com/a", "https://github.com/a/b/c",
                                   'https://github.com/a/"><script>', "javascript:alert(1)//github.com/a/b"])
def test_an_address_that_is_none_stops_the_build(wrong, monkeypatch):
    monkeypatch.setenv("MINIGRAD_REPOSITORY", wrong)
    with pytest.raises(ValueError, match="^the repository's address must be https://github.com/OWNER/NAME, "):
        address.repository()


def test_the_preview_is_as_large_as_its_tags_say():
    data = (Path(site.__file__).parent / site.PREVIEW).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) < 150_000
    assert tuple(int.from_bytes(data[at:at + 4], "big") for at in (16, 20)) == site.PREVIEW_SIZE


def test_the_first_page_is_what_its_programs_do(monkeypatch):
    assert front.famous_message().startswith("RuntimeError: Trying to backward through the graph a second ")
    monkeypatch.setattr(front, "OTHER", front.FAMOUS)
    with pytest.raises(ValueError, match="^the question of the first page is wrong: RuntimeError"):
        front.famous_message()


