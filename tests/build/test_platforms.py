"""Predictions and exercises for learning platforms: Moodle XML and QTI 2.1, read and marked as there.

Neither format could be tried on a real platform here. Moodle XML has no published schema: these tests look
for what Moodle's importer reads. The schema of QTI 2.1 (imsqti_v2p1.xsd) is not to be had from a package
index, so `CHILDREN` and `ATTRIBUTES` repeat what it says about the elements that are used, and a few lines
below run the marking that an item brings with it.
"""
import io
import re
import zipfile
from xml.etree import ElementTree as ET

import pytest

from minigrad.book.build.moodle import blank, moodle
from minigrad.book.build.plan import build
from minigrad.book.build.platforms import Blank, choices, forms, ticks
from minigrad.book.build.qti import ITEM, PACKAGE, qti
from minigrad.book.chapters import CHAPTERS, exercise, of
from minigrad.book.comparing import same
from minigrad.book.exercises import PRINTED, as_lists
from minigrad.book.grading import count
from minigrad.book.markup import marked_up
from minigrad.book.questions import CONFIDENCE

BLANK = re.compile(r"\{1:(NUMERICAL|SHORTANSWER):=([^~#}]+)((?:~%100%[^~}]+)*)((?:~%0%[^~}]+)*)\}")
EACH = pytest.mark.parametrize("number", CHAPTERS)

EXPRESSION = "(variable|correct|baseValue|and|or|gte|lte|lt|stringMatch|sum|multiple|mapResponse|not) "
INLINE = "((code|b|em|textEntryInteraction) )*"
CHILDREN = {
    "assessmentItem": "(responseDeclaration )+(outcomeDeclaration )*itemBody responseProcessing "
                      "(modalFeedback )*",
    "responseDeclaration": "(correctResponse )?(mapping )?", "mapping": "(mapEntry )+",
    "outcomeDeclaration": "(defaultValue )?",
    "correctResponse": "(value )+", "defaultValue": "(value )+",
    "itemBody": "((p|pre|ul|choiceInteraction|extendedTextInteraction) )*",
    "extendedTextInteraction": "prompt ", "ul": "(li )+", "li": INLINE,
    "choiceInteraction": "(simpleChoice )+", "simpleChoice": "p ", "p": INLINE, "modalFeedback": "(p )+",
    "responseProcessing": "((setOutcomeValue|responseCondition) )*",
    "responseCondition": "responseIf (responseElseIf )*", "responseIf": EXPRESSION + "(setOutcomeValue )*",
    "responseElseIf": EXPRESSION + "(setOutcomeValue )*", "setOutcomeValue": EXPRESSION,
    "not": "isNull ", "isNull": "variable ", "lt": EXPRESSION * 2,
    "gte": EXPRESSION * 2, "lte": EXPRESSION * 2, "stringMatch": EXPRESSION * 2,
    "and": f"({EXPRESSION})+", "or": f"({EXPRESSION})+", "sum": f"({EXPRESSION})+",
    "multiple": f"({EXPRESSION})*"}
ATTRIBUTES = {  # those that are used, all of which an element needs
    "assessmentItem": {"identifier", "title", "adaptive", "timeDependent"},
    "responseDeclaration": {"identifier", "cardinality", "baseType"},
    "outcomeDeclaration": {"identifier", "cardinality", "baseType"},
    "choiceInteraction": {"responseIdentifier", "shuffle", "maxChoices"}, "simpleChoice": {"identifier"},
    "textEntryInteraction": {"responseIdentifier", "expectedLength"},
    "extendedTextInteraction": {"responseIdentifier", "expectedLines"}, "setOutcomeValue": {"identifier"},
    "variable": {"identifier"}, "correct": {"identifier"}, "baseValue": {"baseType"},
    "mapping": {"defaultValue"}, "mapEntry": {"mapKey", "mappedValue"}, "mapResponse": {"identifier"},
    "stringMatch": {"caseSensitive"}, "modalFeedback": {"outcomeIdentifier", "identifier", "showHide"}}


def expected_forms(number):
    """The keys of the exercises whose answer is computed and consists of numbers or words."""
    for one in of(number).EXERCISES:
        in_words = one.expected and not isinstance(as_lists(one.expected(one.numbers("A"))), frozenset)
        if in_words and one.id != "0a":  # which counts what is in a picture
            yield from (f"{one.id}-{seat}" for seat in PRINTED) if one.draw else [one.id]


def values(answer):
    """The numbers and words of an answer, in order."""
    if isinstance(answer, (dict, list)):
        parts = answer.values() if isinstance(answer, dict) else answer
        return [value for part in parts for value in values(part)]
    return [str(answer).lower() if isinstance(answer, bool) else answer]


@EACH
def test_every_prediction_and_every_exercise_with_numbers_is_there(number):
    assert [one.id for one in choices(number)] == [asked.id for asked in of(number).QUESTIONS]
    assert [form.key for form in forms(number)] == list(expected_forms(number))
    for form in forms(number):
        one = exercise(form.id)
        right = values(as_lists(one.expected(one.numbers(form.sheet or None))))
        assert [blank.value for blank in form.blanks] == right


def test_neighbours_have_other_numbers_and_the_text_says_which():
    four = {form.sheet: form for form in forms(4) if form.id == "4a"}
    assert len({tuple(blank.value for blank in form.blanks) for form in four.values()}) == len(PRINTED)
    for seat, form in four.items():
        numbers = exercise("4a").numbers(seat)
        assert f"Sheet {seat}: <code>a = {numbers['a']}, b = {numbers['b']}</code>" in form.html
        assert "p, s = a * b, a + b" in form.html


def test_a_question_alone_brings_the_lines_that_it_rests_on():
    code = {one.id: one.html for one in (*choices(4), *choices(6))}
    assert "c, d = a + b, a * b" in code["4.2"]
    assert "t = torch.tensor" in code["6.1"]
    assert "squared, absolute = (error ** 2).mean()" in code["6.2"]
    assert code["6.1"].index("t = torch.tensor") < code["6.1"].index("Two more lines")


@EACH
def test_no_markdown_is_left(number):
    """A list is a list; code, emphasis and paragraphs have their elements."""
    for one in (*choices(number), *ticks(number), *forms(number)):
        without_code = re.sub("<(code|pre)>.*?</\\1>", "", one.html, flags=re.DOTALL)
        assert not re.search(r"^[-*] |\n- |\*\*|`|\n\n", without_code), one.html
    if number == 6:
        assert next(form for form in forms(6) if form.id == "6b").html.count("<li>") == 3


def test_a_word_is_accepted_in_every_form_that_the_notebook_accepts():
    for number in CHAPTERS:
        for form in forms(number):
            for one in form.blanks:
                for way in one.forms(one.value) if isinstance(one.value, str) else ():
                    wanted = {"true": True, "false": False}.get(one.value, one.value)
                    assert same(way, wanted, 0), way
    blank = next(form for form in forms(6) if form.id == "6b").blanks[1]
    assert {'"error"', "'error'", "error", "an error"} <= set(blank.forms("error"))


# --- Moodle

@pytest.fixture(scope="module")
def quizzes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moodle")
    return {number: ET.parse(next(moodle(number, folder))).getroot() for number in CHAPTERS}


@EACH
def test_moodle_finds_all_that_it_reads(number, quizzes):
    asked = quizzes[number].findall("question")
    kinds = [one.get("type") for one in asked]
    assert kinds[0] == "category"
    assert set(kinds) <= {"category", "multichoice", "essay", "cloze"}
    for one in asked:
        if one.get("type") == "category":
            assert one.findtext("category/text").startswith(f"$course$/top/minigrad/{number} · ")
        else:
            assert one.findtext("name/text")
            assert one.find("questiontext").get("format") == "html"
            ET.fromstring(f"<p>{one.findtext('questiontext/text')}</p>")  # HTML that is well-formed, too
    names = [one.findtext("idnumber") for one in asked if one.find("idnumber") is not None]
    assert len(set(names)) == len(names) == len(kinds) - kinds.count("category")
    last = None  # a category without a question would be an empty folder
    for kind in [*kinds, "category"]:
        assert not last == kind == "category"
        last = kind


@EACH
def test_a_prediction_has_one_right_option_a_reply_to_each_and_no_points(number, quizzes):
    found = [one for one in quizzes[number].findall("question") if one.get("type") == "multichoice"]
    for one, asked in zip(found, of(number).QUESTIONS, strict=False):
        assert one.findtext("defaultgrade") == "0" and one.findtext("single") == "true"
        assert one.findtext("shuffleanswers") == "false"  # the letters are those of the sheet
        for letter, answer in zip(asked.letters, one.findall("answer"), strict=True):
            option = asked.option(letter)
            assert answer.get("fraction") == ("100" if option.right else "0")
            assert answer.findtext("text") == marked_up(option.text)
            assert answer.findtext("feedback/text") == marked_up(option.says)
    assert len(found) == len(of(number).QUESTIONS) + len(list(ticks(number)))


@EACH
def test_a_reason_follows_each_prediction_and_has_no_points(number, quizzes, packages):
    names = [one.findtext("name/text") for one in quizzes[number].findall("question")]
    for asked in of(number).QUESTIONS:
        at = names.index(asked.id)
        assert names[at + 1] == f"{asked.id}-because"
        essay = quizzes[number].findall("question")[at + 1]
        assert (essay.get("type"), essay.findtext("defaultgrade")) == ("essay", "0")
        item = packages[number][f"{asked.id}-because.xml"]
        prompt = item.findtext(f".//{{{ITEM}}}prompt")
        assert f"<p>{prompt}</p>" == essay.findtext("questiontext/text")
        assert asked.id in prompt and all(sure in prompt for sure in CONFIDENCE)
        assert [float(one.text) for one in item.iter(f"{{{ITEM}}}value")] == [0, 0]
        assert Session(item, RESPONSE="Because it is computed.").values["SCORE"] == 0


def ways(one):
    """Some sets of ticks: none, all, the right ones, and each alone added to or taken from those."""
    right = {name for name, _, is_right, _ in one.options if is_right}
    names = [name for name, *_ in one.options]
    return [set(), set(names), right, *({*right} ^ {name} for name in names)]


@pytest.mark.parametrize("key", ["6a", "16a"])
def test_ticks_win_and_lose_their_share(key, quizzes, packages):
    """QTI gives the points of the notebook. Moodle's fractions can't say that nothing ticked is half right
    by boxes where more lines are right than wrong; all and nothing are the same there."""
    number = int(key[:-1])
    one = next(one for one in ticks(number) if one.id == key)
    lines = dict(zip((name for name, *_ in one.options), exercise(key).choices, strict=True))
    found = next(item for item in quizzes[number].iter("question") if item.findtext("name/text") == key)
    shares = {name: float(answer.get("fraction")) for name, answer in zip(lines, found.iter("answer"),
                                                                          strict=True)}
    assert (found.findtext("single"), found.findtext("defaultgrade")) == ("false", str(exercise(key).parts))
    for chosen in ways(one):
        points = count(key, {lines[name] for name in chosen})
        assert Session(packages[number][f"{key}.xml"], RESPONSE=chosen).values["SCORE"] == points
        by_share = max(0, sum(shares[name] for name in chosen)) / 100 * one.points
        assert by_share == pytest.approx(points) if key == "6a" else points <= by_share
        assert (by_share == one.points) == (points == one.points)


@EACH
def test_moodle_accepts_what_the_engine_says_and_no_known_mistake(number, quizzes):
    found = {one.findtext("name/text"): one.findtext("questiontext/text")
             for one in quizzes[number].findall("question") if one.get("type") == "cloze"}
    assert sorted(found) == sorted(expected_forms(number))
    for form in forms(number):
        blanks = BLANK.findall(found[form.key])
        assert len(blanks) == len(form.blanks) == found[form.key].count("{1:")
        for (kind, right, more, wrong), wanted in zip(blanks, form.blanks, strict=True):
            others = [part.partition("#")[0] for part in wrong.split("~%0%")[1:]]
            if kind == "SHORTANSWER":
                assert [right, *more.split("~%100%")[1:]] == wanted.forms(wanted.value)
                assert not {right, *more.split("~%100%")[1:]} & set(others)
                continue
            number_, within = map(float, right.split(":"))
            assert same(number_, wanted.value, exercise(form.id).within)
            assert within >= 0
            for other in others:
                assert abs(float(other.split(":")[0]) - number_) > within


def test_a_reply_that_holds_moodle_s_signs_does_not_end_its_blank():
    text = blank(Blank("w", 2.0, 0.005, ((3.0, "a set {1} ~ or # <code>x</code>"),)))
    kind, right, more, wrong = BLANK.fullmatch(text).groups()
    assert not more and (kind, right) == ("NUMERICAL", "2:0.01")
    assert wrong == "~%0%3:0.015#a set {1&#125; &#126; or &#35; <code>x</code>"


# --- QTI

@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("qti"), {}
    for number in CHAPTERS:
        with zipfile.ZipFile(next(qti(number, folder))) as package:
            found[number] = {name: ET.fromstring(package.read(name)) for name in package.namelist()}
    return found


@EACH
def test_a_package_lists_its_items(number, packages):
    listed = packages[number].pop("imsmanifest.xml", None)
    wanted = [f"{asked.id}{part}.xml" for asked in of(number).QUESTIONS for part in ("", "-because")]
    wanted += [f"{one.id}.xml" for one in ticks(number)] + [f"{key}.xml" for key in expected_forms(number)]
    assert list(packages[number]) == wanted
    assert listed.tag == f"{{{PACKAGE}}}manifest"
    assert [part.tag.partition("}")[2] for part in listed] == ["metadata", "organizations", "resources"]
    resources = listed.findall(f"{{{PACKAGE}}}resources/*")
    assert [one.get("href") for one in resources] == wanted
    assert {one.get("type") for one in resources} == {"imsqti_item_xmlv2p1"}
    assert [one[0].get("href") for one in resources] == wanted
    names = [one.get("identifier") for one in resources]
    assert names == [root.get("identifier") for root in packages[number].values()]
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", name) for name in names)


@EACH
def test_an_item_has_the_elements_of_the_schema_in_its_order(number, packages):
    for name, root in packages[number].items():
        for one in root.iter() if name != "imsmanifest.xml" else ():
            space, _, tag = one.tag[1:].partition("}")
            assert space == ITEM
            inside = "".join(f"{child.tag.partition('}')[2]} " for child in one)
            assert re.fullmatch(CHILDREN.get(tag, ""), inside), (name, tag, inside)
            given = {key for key in one.attrib if not key.startswith("{")}
            assert given == ATTRIBUTES.get(tag, set()), (name, tag)


class Session:
    """Marks an item by its own rules, as a platform does."""

    def __init__(self, root, **responses):
        self.values = dict(responses)
        for one in root:
            tag, value = short(one), one.find(f".//{{{ITEM}}}value")
            if tag == "responseDeclaration":
                self.mapped = {entry.get("mapKey"): float(entry.get("mappedValue"))
                               for entry in one.iter(f"{{{ITEM}}}mapEntry")}
            elif tag == "outcomeDeclaration":
                self.values[one.get("identifier")] = None if value is None else float(value.text)
        for rule in root.find(f"{{{ITEM}}}responseProcessing"):
            self.run(rule)

    def run(self, rule):
        if short(rule) == "setOutcomeValue":
            self.values[rule.get("identifier")] = self.value(rule[0])
            return
        branch = next((one for one in rule if self.value(one[0])), ())
        for one in branch[1:]:
            self.run(one)

    def value(self, one):
        tag, parts = short(one), [self.value(part) for part in one]
        if tag == "variable":
            return self.values.get(one.get("identifier"))
        if tag == "mapResponse":
            return sum(self.mapped[name] for name in self.values[one.get("identifier")])
        if tag == "baseValue":
            return float(one.text) if one.get("baseType") == "float" else one.text
        if tag == "stringMatch":
            return parts[0] is not None and parts[0].lower() == parts[1].lower()
        if tag in ("gte", "lte", "lt"):
            return parts[0] is not None and {"gte": parts[0] >= parts[1], "lte": parts[0] <= parts[1],
                                             "lt": parts[0] < parts[1]}[tag]
        if tag == "isNull":
            return not parts[0]
        return {"and": all, "or": any, "sum": sum, "not": lambda some: not some[0],
                "multiple": lambda some: [*(some[0] or []), *some[1:]]}[tag](parts)


def short(one):
    return one.tag.partition("}")[2]


def replies(root):
    return {one.get("identifier"): " ".join("".join(one.itertext()).split()) for one in root
            if short(one) == "modalFeedback"}


def words(html):
    return " ".join("".join(ET.fromstring(f"<p>{html}</p>").itertext()).split())


@EACH
def test_a_vote_has_a_reply_to_each_option_and_no_score(number, packages):
    for asked in of(number).QUESTIONS:
        root = packages[number][f"{asked.id}.xml"]
        for letter in asked.letters:
            marked = Session(root, RESPONSE=letter).values
            assert marked["SCORE"] == marked["MAXSCORE"] == 0
            assert root.findtext(f".//{{{ITEM}}}value") == asked.right
            assert replies(root)[marked["FEEDBACK"]] == words(marked_up(asked.option(letter).says))


@EACH
def test_right_numbers_score_and_known_mistakes_get_their_reply(number, packages):
    for form in forms(number):
        root = packages[number][f"{form.key}.xml"]
        names = [f"RESPONSE_{at}" for at in range(1, len(form.blanks) + 1)]
        full = Session(root, **{name: one.value for name, one in zip(names, form.blanks, strict=True)}).values
        assert full["SCORE"] == full["MAXSCORE"] == len(form.blanks)
        assert not full["FEEDBACK"]
        assert Session(root).values["SCORE"] == 0
        for name, one in zip(names, form.blanks, strict=True):
            for answer, says in one.wrong:
                marked = Session(root, **{name: answer}).values
                assert marked["SCORE"] == 0
                said, = (replies(root)[key] for key in marked["FEEDBACK"])
                assert said == words(says)


# --- the command

def test_the_files_are_the_same_when_they_are_made_again(tmp_path):
    first, second = (build(["6"], "moodle,qti", tmp_path / name, tell=lambda line: None) for name in "ab")
    assert [path.relative_to(tmp_path / "a").as_posix() for path in first] == ["moodle/06.xml", "qti/06.zip"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert zipfile.ZipFile(io.BytesIO(first[1].read_bytes())).testzip() is None
