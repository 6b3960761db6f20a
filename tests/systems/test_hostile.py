"""Input that was made to do harm does none: files for `load`, names, progress files and notebooks.

tests/browser opens the pages that are made of such names in a browser.
"""
import contextlib
import io
import json
import os
import pickle
import pickletools
import re
import subprocess
from collections import OrderedDict
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as torch
import minigrad.utils.serialization as serialization
from minigrad.book.__main__ import main
from minigrad.book.build import report
from minigrad.book.build.votes import as_code_html, as_html
from minigrad.book.classroom import questions
from minigrad.book.content.chapters import question
from minigrad.viz import diff, draw, play
from minigrad.viz.drawing import image, render

# ---------------------------------------------------------------- files for load


class Reduces:
    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return self.parts


def loaded(data):
    return torch.load(io.BytesIO(data))


def saved(value):
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def name(module, attribute):
    """A class or a function, in the language of pickles."""
    return b"".join(b"\x8c" + bytes([len(word)]) + word.encode() for word in (module, attribute)) + b"\x93"


def global_of(module, attribute):
    return f"c{module}\n{attribute}\n".encode()


SIZE, TENSOR = name("minigrad.attributes", "Size"), name("minigrad", "Tensor")
A_CLASS = pickle.dumps((None, {"__repr__": 1}))[11:-1]  # without its head and its end
FLAGS = pickle.dumps((3, "<", None, None, None, -1, -1, 63))[11:-1]  # a float that says it holds objects
HOSTILE = {
    "os.system": pickle.dumps(Reduces(os.system, ("touch pwned",))),
    "eval": pickle.dumps(Reduces(eval, ("open('pwned', 'w')",))),
    "getattr": pickle.dumps(Reduces(getattr, (1, "real"))),
    "protocol 0": pickle.dumps(Reduces(eval, ("open('pwned', 'w')",)), 0),
    "inside a dict": pickle.dumps({"a": [({"b": Reduces(eval, ("open('pwned', 'w')",))},)]}),
    "a state": pickle.dumps(Reduces(OrderedDict, (), Reduces(eval, ("open('pwned', 'w')",)))),
    "INST": b"(S'touch pwned'\nios\nsystem\n.",
    "OBJ": b"(" + global_of("os", "system") + b"S'touch pwned'\no.",
    "a dotted name": name("minigrad.utils.serialization", "pickle.loads") + b".",
    "a submodule": name("minigrad", "utils.serialization.pickle.loads") + b".",
    "a module of ours": name("minigrad.book.build.run_chapters", "Tensor") + b".",
    "an extension": b"\x82\x01.",
    "a persistent id": b"\x8c\x01aQ.",
    "a class is changed": SIZE + A_CLASS + b"b.",
    "a tensor is changed": TENSOR + A_CLASS + b"b.",
    "numpy's dtype": name("numpy", "dtype") + b"\x8c\x02f8\x89\x88\x87R" + FLAGS + b"b.",
    "numpy's array": pickle.dumps(np.ones(2)),
    "numpy's number": pickle.dumps(np.float32(2)),
    "numpy's array of objects": saved(np.array([Reduces(eval, ("1",))], object)),
    "memory by bytearray": b"\x96" + (1 << 45).to_bytes(8, "little") + b".",
    "memory by bytes": b"\x8e" + (1 << 45).to_bytes(8, "little") + b".",
    "memory by memo": b"Nr\xff\xff\xff\x7fh\x05.",
    "memory by frame": b"\x80\x04\x95" + (1 << 45).to_bytes(8, "little") + b"N",
    "too large a shape": pickle.dumps(Reduces(serialization.rebuilt_array,
                                              (b"1234", torch.float32, (1 << 40,), "C"))),
    "no dtype": pickle.dumps(Reduces(serialization.rebuilt_array, (b"12345678", "O", (1,), "C"))),
    "a class as dtype": pickle.dumps(Reduces(serialization.rebuilt_array,
                                             (b"12345678", torch.Tensor, (1,), "C"))),
    "cut off": saved({"a": torch.ones(3)})[:-20],
    "empty": b"",
    "text": b"hello",
    "a file of PyTorch": b"PK\x03\x04" + bytes(40),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_refused(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = repr(torch.ones(2).shape), dict(vars(torch.Size))
    with pytest.raises((pickle.UnpicklingError, EOFError, TypeError, ValueError)):
        loaded(HOSTILE[case])
    assert not list(tmp_path.iterdir())
    assert (repr(torch.ones(2).shape), dict(vars(torch.Size))) == before


def test_the_refusal_has_the_words_of_pytorch():
    with pytest.raises(pickle.UnpicklingError) as caught:
        loaded(pickle.dumps(Reduces(eval, ("1",))))
    assert str(caught.value).startswith("Weights only load failed. ")
    assert str(caught.value).endswith("WeightsUnpickler error: Unsupported global: GLOBAL builtins.eval was "
                                      "not an allowed global by default.")
    with pytest.raises(pickle.UnpicklingError, match="WeightsUnpickler error: Unsupported operand 98$"):
        loaded(HOSTILE["a class is changed"])


def test_a_thousand_damaged_files_run_nothing(monkeypatch):
    """Any byte of a file may be another one; it loads or not, and calls nothing else."""
    monkeypatch.setattr(os, "system", lambda command: pytest.fail(command))
    rng, whole = np.random.RandomState(0), saved({"a": torch.ones(2), "b": [torch.nn.Linear(1, 1).weight]})
    codes = [ord(opcode.code) for opcode in pickletools.opcodes]
    for _ in range(1000):
        data = bytearray(whole)
        for place in rng.randint(len(data), size=3):
            data[place] = rng.choice(codes)
        with contextlib.suppress(pickle.UnpicklingError, ValueError, TypeError, LookupError, EOFError,
                                 AttributeError):
            loaded(bytes(data))


def test_what_was_saved_is_loaded():
    x = torch.arange(6.0).reshape(2, 3)
    y, shared, turned, rest = loaded(saved([x, x.detach(), x.t(), (torch.ones(0, 2), torch.tensor(True))]))
    y[0, 0] = 5.0
    assert (shared[0, 0], turned.shape, turned.is_contiguous()) == (5, (3, 2), False)
    assert turned.tolist() == x.t().tolist()
    assert (rest[0].shape, rest[1].dtype) == ((0, 2), torch.bool)
    assert loaded(saved({"s": x.shape, "d": torch.float32, "set": {1}})) == {
        "s": torch.Size([2, 3]), "d": torch.float32, "set": {1}}
    parameter = loaded(saved(torch.nn.Linear(2, 1).weight))
    assert type(parameter) is torch.nn.Parameter
    assert parameter.requires_grad
    assert all(loaded(saved(torch.ones(1, dtype=one))).dtype is one for one in (
        torch.float16, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8))


# ---------------------------------------------------------------- names, labels and captions

EVIL = ('</b>"\'><img src=x onerror=alert(1)>]; x [URL="javascript:alert(1)"]; \\N <<b>y</b>>'
        "\x00\x1b\u202e\ud800")


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def alive(html):
    """The elements of a piece of HTML that run something which is not minigrad's, or ask for something."""
    from minigrad.book.build.reader.inert import is_ours

    return [(tag, more) for tag, more in Elements(html).found
            if tag in ("script", "base", "svg") or more.get("http-equiv") == "refresh"
            or any(name.startswith("on") and not is_ours(value) for name, value in more.items())
            or not more.get("src", more.get("href", "data:")).startswith("data:")]


@pytest.fixture
def graph():
    x, w = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    y = (x * w).exp()
    return y, {"names": {EVIL: x, EVIL + "w": w, "y" + EVIL: y}}


@pytest.mark.parametrize("make", [
    lambda y, names: draw(y, caption=EVIL, **names), lambda y, names: draw(y, view="maths", **names),
    lambda y, names: diff(y, y * 2, **names), lambda y, names: play(y, **names)])
def test_a_name_is_words_in_every_form(make, graph):
    shown = make(*graph)
    for form in shown.forms():
        if form not in (".png", ".pdf"):
            text = shown.forms()[form]().encode("utf-8").decode()
            assert not re.search("[\0\x1b\u202e]", text)
            assert "<img src=x" not in text or form == ".txt"
            assert form != ".html" or not alive(text)


def test_a_name_adds_nothing_to_the_language_of_pictures(graph):
    y, names = graph
    parts = [ElementTree.fromstring(draw(y, **more).svg) for more in (names, {"names": {}})]
    kinds, plain = ({(part.tag, *sorted(part.attrib)) for part in tree.iter()} for tree in parts)
    assert kinds == plain  # no link, no image, no attribute that another picture has not
    assert EVIL[:40] in "".join(parts[0].itertext())


def test_graphviz_gets_its_text_by_a_pipe_and_no_shell(monkeypatch, graph):
    calls = []
    monkeypatch.setattr(render.subprocess, "run", lambda command, **more: calls.append((command, more)) or (
        subprocess.CompletedProcess(command, 0, b"<svg width='1pt'></svg>")))
    y, names = graph
    draw(y, **names).svg
    (command, more), = calls
    assert isinstance(command, list) and "shell" not in more
    assert command[1:] == ["-Kdot", "-Tsvg"] and EVIL[:9] not in " ".join(command)


# ---------------------------------------------------------------- progress files, notebooks, numbers

def test_a_hostile_progress_file_is_no_html_and_no_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    asked = question("6.1")
    for row in ({"choice": "A", "confidence": EVIL[:40]}, {"choice": EVIL[:40], "confidence": "certain"},
                {"choice": "A", "confidence": "certain", "again": [EVIL[:9]]}):
        (tmp_path / "progress.json").write_text(json.dumps({"predictions": {"6.1": row}}), encoding="utf-8")
        assert questions.stands(asked).startswith("Choose before you run the next cell.")


def test_the_report_names_hostile_files_and_goes_on(tmp_path):
    good = {"predictions": {"6.1": {"choice": "A", "confidence": "certain"}}}
    names = ["<img src=x onerror=alert(1)>.json", "a\n30 learners.json", "b\x1b[31m.json"]
    if os.name == "nt":
        names = ["b.json"]
    for at, name in enumerate(names):
        (tmp_path / str(at)).mkdir()
        (tmp_path / str(at) / name).write_text(json.dumps({"attempts": {EVIL[:40]: {}}}), encoding="utf-8")
    (tmp_path / "good.json").write_text(json.dumps(good), encoding="utf-8")
    (tmp_path / "huge.json").write_bytes(b" " * 1_000_001)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.json")
        os.symlink("/dev/zero", tmp_path / "zero.json")
    seen = report.gather(tmp_path)
    assert seen.learners == 1
    text, html = report.as_text(seen), report.as_html(seen)
    assert "\x1b" not in text and "\n30 learners" not in text
    assert "<img" not in html
    assert "not read: huge.json (it is not a file of at most 1 MB)" in text


@pytest.mark.parametrize("word", ["../6", "/etc/passwd", "6\0", "²", "-1", "06/../7", "6;ls", "9" * 5000])
def test_a_chapter_is_a_number(word, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["build", word]) == 1
    assert main(["copy", "own", "--fresh", word]) == 1
    assert main(["run", word]) == 1
    assert not list(tmp_path.iterdir())


def test_the_reader_runs_nothing_of_a_notebook_but_minigrad_s_players(tmp_path):
    from minigrad.book.build.reader import inert, shown_outputs

    pictures = shown_outputs.Pictures(tmp_path)
    svg = '<svg width="9pt" height="9pt" xmlns="http://www.w3.org/2000/svg">{}</svg>'
    for data in ({"text/html": "<p onclick=x>a<script>x</script><a href=javascript:x>b</a>"},
                 {"text/html": image.picture(svg.format("<script>x</script>"), "x"), "text/plain": "x"},
                 {"text/html": "<meta http-equiv=refresh content=0><base href=//x><img src=http://x/>"},
                 {"image/svg+xml": "<svg onload=alert(1)>", "text/plain": "c"}):
        assert not alive(shown_outputs.output({"output_type": "display_data", "data": data}, pictures))
    assert not pictures.files  # a browser would open such a file as a page
    player = play(torch.tensor(2.0, requires_grad=True).exp()).html
    assert inert.scripts_in(inert.inert(player)) == inert.scripts_in(player) != []
    for part in ("<script/>", '<a href="x"/>', '<g fill="url(http://x)"/>', '<g onload="x"/>', "<image/>"):
        assert not inert.only_draws(svg.format(part))
    assert inert.only_draws(svg.format("<path/>"))
    assert not inert.only_draws("<?xml-stylesheet?>" + svg.format(""))


def test_a_sheet_reads_no_file_where_the_build_runs(tmp_path, monkeypatch):
    pytest.importorskip("typst")
    from minigrad.book.build.pdf import Form, compiled
    from minigrad.book.build.sheet_markdown import Page

    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    for name in ("secret.txt", "/etc/passwd", "../../../README.md", str(tmp_path / "secret.txt")):
        with pytest.raises(RuntimeError, match="not found|escape the project root"):
            compiled(Page("A", 0, 500), f'#read("{name}")', "title", Form())


def test_a_slide_has_no_character_that_xml_forbids():
    html = as_html("a\x1b ]]> <b> &") + as_code_html("b\x0b ]]> &")
    assert "".join(ElementTree.fromstring(f"<x>{html}</x>").itertext()) == "a\\x1b ]]> <b> &b\\x0b ]]> &"
