"""The symptom pages of the site: every program shows its symptom, and every remedy removes it, on both
libraries; what a page shows is what its programs print, and it can be found."""
from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from importlib.util import find_spec

import pytest

from minigrad.book.build.reader import clinic, front, measuring, places, search, symptoms
from minigrad.book.build.reader.program import HEAD
from minigrad.book.content.cases.symptoms import SYMPTOMS
from minigrad.book.content.cases.symptoms.symptom_measurements import MEASUREMENTS
from minigrad.book.content.chapters import CHAPTERS

HEADS = [HEAD] + ["import torch\n"] * (find_spec("torch") is not None)
EACH = pytest.mark.parametrize("symptom", SYMPTOMS, ids=[one.slug for one in SYMPTOMS])
BY_SLUG = {symptom.slug: symptom for symptom in SYMPTOMS}


@pytest.fixture(scope="module")
def pages():
    return {symptom.slug: symptoms.page(symptom, list(CHAPTERS)) for symptom in SYMPTOMS}


class Texts(HTMLParser):
    """The text of every `pre` of a page as somebody would copy it: (its classes, the text)."""

    def __init__(self, html):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag == "pre":
            self.inside = True
            self.found.append([dict(attributes).get("class", "").split(), ""])

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "pre"

    def handle_data(self, text):
        if self.inside:
            self.found[-1][1] += text


@EACH
def test_what_can_be_copied_is_a_program_or_a_function(symptom, pages):
    texts = Texts(pages[symptom.slug]).found
    assert "\u200b" not in pages[symptom.slug]
    code = [text for kinds, text in texts if "code" in kinds and "change" not in kinds]
    for text in code:
        compile(text, "copied", "exec")
    programs = [text for kinds, text in texts if "numbered" in kinds]
    wanted = [HEAD + one for cause in symptom.causes
              for one in (cause.code, *(measuring.repaired(cause, at) for at in range(len(cause.remedies))))]
    assert [ast.dump(ast.parse(text)) for text in programs] == [ast.dump(ast.parse(text)) for text in wanted]
    for look in symptom.looks:
        assert MEASUREMENTS[look.measurement].code.rstrip("\n") in [*code, ""], look.measurement


@EACH
def test_what_a_program_prints_is_that_of_a_run(symptom, pages):
    """A program of a cause stands before its output, and a repaired one after it."""
    texts = Texts(pages[symptom.slug]).found
    programs = [at for at, (kinds, _) in enumerate(texts) if "numbered" in kinds]
    checked = 0
    for cause in symptom.causes:
        at, *repaired = programs[checked:checked + 1 + len(cause.remedies)]
        checked += 1 + len(cause.remedies)
        for run in range(symptom.runs):
            assert texts[at + 1 + run] == [["out"], printed(texts[at][1], run)], cause.slug
        for there in repaired:
            assert texts[there - 1] == [["out"], printed(texts[there][1])]
    assert checked == len(programs)


def printed(copied, start=0, head=HEAD):
    """Return what a program prints, as its reader would run it. With minigrad, each program runs once."""
    assert copied.startswith(HEAD)
    code = copied.removeprefix(HEAD)
    if head == HEAD:
        return measuring.printed(code, start)
    done = measuring.ran(code, head, start)
    return (done.printed + done.message).strip()


@EACH
@pytest.mark.parametrize("head", HEADS)
def test_every_program_shows_the_symptom_and_every_remedy_removes_it(symptom, head):
    def last_lines(code):
        return [measuring.last_line(printed(HEAD + code, start, head)) for start in range(symptom.runs)]

    for cause in symptom.causes:
        assert cause.marks in cause.code, cause.slug
        ill = last_lines(cause.code)
        if symptom.runs == 1:
            assert ill == [cause.prints] or not cause.exact, cause.slug
            assert not symptom.good(measuring.number(ill[0])), cause.slug
        else:
            assert ill[0] != ill[1], cause.slug
        for at, remedy in enumerate(cause.remedies):
            well = last_lines(measuring.repaired(cause, at))
            assert well == [remedy.prints] * symptom.runs, cause.slug
            assert symptom.good(measuring.number(well[0])), cause.slug


@EACH
def test_what_is_measured_has_an_outcome_on_the_page_and_no_two_causes_share_them_all(symptom):
    seen = {}
    for cause in symptom.causes:
        found = [measuring.outcome(look, measuring.measured(symptom, cause, look)).words
                 for look in symptom.looks]
        seen.setdefault(tuple(found), []).append(cause.slug)
    assert len(seen) > 1 or symptom.runs > 1


@EACH
def test_a_page_has_all_its_parts(symptom, pages):
    page = pages[symptom.slug]
    assert f"<h1>{symptoms.escape(symptom.title)}</h1>" in page and '<h2 id="measure">' in page
    for look in symptom.looks:
        assert f'<h3 id="measure-{look.measurement}">' in page
    for at, cause in enumerate(symptom.causes, 1):
        section = page[page.index(f'<h2 id="{cause.slug}">{at}. '):].split("<h2 id=", 2)[1]
        assert section.count("The price: ") == len(cause.remedies)
        assert section.count("<summary>What it prints</summary>") == len(symptom.looks)
        number, line = re.search(r"<b>Line (\d+):</b> <code>(.*?)</code>", section).groups()
        shown = (HEAD + cause.code).splitlines()[int(number) - 1]
        assert symptoms.escape(shown.strip()) == line and cause.marks in shown
        assert section.count('<span class="line marked">') >= 1
        assert (f'href="chapter-{cause.chapter or 0:02}.html"' in section) == (cause.chapter is not None)


@EACH
def test_each_cause_is_either_possible_after_an_outcome_or_ruled_out(symptom, pages):
    measure = pages[symptom.slug].partition('<h2 id="measure">')[2].partition("<h2 id=")[0]
    for part in measure.split('<h3 id="measure-')[1:]:
        left = [re.findall('href="#([a-z-]+)"', row) for row in part.split("<dt>")[1:]]
        assert sorted(sum(left, [])) == sorted(cause.slug for cause in symptom.causes), part[:20]
        for row, possible in zip(part.split("<dt>")[1:], left, strict=True):
            if possible:
                named = re.search(r"It rules out causes? ([\d, and]+)\.", row)
                ruled_out = [symptom.causes[int(at) - 1].slug for at in re.findall(r"\d+", named[1])]
                assert set(ruled_out) | set(possible) == {cause.slug for cause in symptom.causes}
                assert not set(ruled_out) & set(possible)
            else:
                assert "It rules out all causes" in row


def test_a_page_that_would_lie_is_not_made():
    symptom = BY_SLUG["flat-loss"]
    cause = symptom.causes[0]
    remedy = cause.remedies[0]
    for other, complaint in (
            (cause._replace(prints="0.1"), "flat-loss, broadcast doesn't show the symptom: it printed 0 4"),
            (cause._replace(code=measuring.repaired(cause)), "doesn't show the symptom: it printed 0 3.2"),
            (cause._replace(remedies=(remedy._replace(prints="7"),)), "remedy 1 of flat-loss, broadcast"),
            (cause._replace(remedies=(remedy._replace(edits=()),)), "doesn't help: the program printed 0 4")):
        with pytest.raises(ValueError, match=complaint):
            symptoms.page(symptom._replace(causes=(other,)), [])
    different = BY_SLUG["different"]
    same = different.causes[0]._replace(code=measuring.repaired(different.causes[0]))
    with pytest.raises(ValueError, match="different, unseeded printed the same in each run"):
        symptoms.page(different._replace(causes=(same,)), [])


def test_a_measurement_shows_the_first_and_the_last_step_or_those_around_a_nan():
    assert list(symptoms.steps("f(x)", {"end": [4]}, "end")) == ["4"]
    assert list(symptoms.steps("f(x)", {"end": [4, 4]}, "end")) == ["in each of 2 steps: 4"]
    assert list(symptoms.steps("(a, b)", {"end": [(1, 2), (3, 4), (5, 6)]}, "end")) == [
        "step 1: 1 2", "step 3: 5 6"]
    nan = float("nan")
    assert list(symptoms.steps("a", {"end": [1, 2, 3, nan, nan]}, "end")) == [
        "step 1: 1", "step 3: 3", "step 4: nan"]
    told = {"end": [1, 2], "second run": [{"end": [5, 6]}]}
    assert list(symptoms.steps("a", told, "end")) == ["run 1, step 1: 1", "run 2, step 1: 5"]


def test_a_change_shows_the_lines_that_differ():
    html = symptoms.changes("a\nb\nc\nd\n", "a\nB\nc\ne < f\n")
    assert re.sub("<[^>]+>", "", html) == "- b\n+ B\n…\n- d\n+ e &lt; f\n"


# --- ways to a page

def test_every_symptom_is_named_on_the_pages_that_lead_to_it():
    for symptom in SYMPTOMS:
        link = f'href="symptom-{symptom.slug}.html"'
        for page in (symptoms.index(), front.without_a_message(), symptoms.for_the_patients()):
            assert link in page
        for cause in symptom.causes:
            there = symptoms.for_chapter(cause.chapter) if cause.chapter is not None else ""
            link = f'href="symptom-{symptom.slug}.html#{cause.slug}"'
            assert (link in there) == (cause.chapter is not None)
    assert 'href="symptoms.html"' in clinic.index()
    assert symptoms.for_chapter(1) == ""


@pytest.fixture(scope="module")
def made():
    return search.index(places({}))


@pytest.mark.parametrize("query, slug", [
    ("loss doesn't fall", "flat-loss"), ("loss not decreasing", "flat-loss"),
    ("my model does not learn", "flat-loss"), ("NaN", "nan"),
    ("loss becomes nan after some epochs", "nan"), ("exploding", "nan"),
    ("weight doesn't move", "one-weight"), ("weights not updating", "one-weight"),
    ("overfitting", "bad-test"),
    ("train accuracy high validation low", "bad-test"), ("worked before", "added"),
    ("gradient accumulation", "added"), ("slower", "slower"), ("memory leak", "slower"),
    ("not reproducible", "different"), ("seed", "different"), ("test loss jumps", "jumps"),
    ("validation loss fluctuates", "jumps")])
def test_a_symptom_is_found_by_the_words_of_people(query, slug, made):
    urls, fits = search.search(made, query)
    assert f"symptom-{slug}.html" in [url.partition("#")[0] for url in urls[:3]]
    assert fits


@EACH
def test_a_title_finds_its_page_first(symptom, made):
    urls, fits = search.search(made, symptom.title)
    assert urls[0] == f"symptom-{symptom.slug}.html" and fits


def test_a_cause_is_found_in_its_page(made):
    for query, url in (("torch.where nan", "symptom-nan.html#where"),
                       ("batchnorm running statistics", "symptom-bad-test.html#lag"),
                       ("requires_grad_(False) frozen", "symptom-one-weight.html#frozen")):
        assert url in search.search(made, query)[0][:5], query
