"""start.py: what it makes, opens and says, and what it says when something is in the way.

Nothing is installed, and nothing is asked of the network: `pip` is one line in a file beside
a copy of start.py.
"""
import errno
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from itertools import accumulate
from pathlib import Path

import pytest

from minigrad.book.build import own_copies
from minigrad.book.content.chapters import CHAPTERS
from tests import ROOT

NO_SPACE = OSError(errno.ENOSPC, "No space left on device")
on_posix = pytest.mark.skipif(os.name == "nt", reason="it needs signals and limits of POSIX")


def load(folder):
    """The start.py of a folder, with this Python in the place of the one that it would set up."""
    spec = importlib.util.spec_from_file_location("start", folder / "start.py")
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    start.PYTHON = sys.executable
    return start


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """(start.py of this clone, already set up, the folder of the learner's chapters, the commands it ran)"""
    folder, ran = tmp_path / "my_chapters", []
    monkeypatch.setenv("MINIGRAD_CHAPTERS", str(folder))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    start = load(ROOT)
    start.set_up = lambda: None
    start.TRUSTED, start.TRUST = str(tmp_path / "trusted.json"), ""  # to trust takes seconds
    start.run = lambda command: ran.append(command) or 0
    return start, folder, ran


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# --- what it opens -----------------------------------------------------------------------------------------

def test_it_makes_the_chapters_once_and_opens_chapter_0(learner, capfd):
    start, folder, ran = learner
    assert start.main(["--no-browser"]) == 0
    names = sorted(contents(folder))
    assert names.pop() == "contents.ipynb"
    assert [name[:3] for name in names] == [f"{number:02}_" for number in CHAPTERS]
    page = "--LabApp.default_url=/lab/tree/00_before_you_start.ipynb"
    assert ran == [[sys.executable, "-m", "jupyterlab", page, "--no-browser", str(folder)]]
    said = capfd.readouterr().err
    assert said == (f"Your chapters are in {folder}, {len(CHAPTERS)} of them new. JupyterLab opens "
                    "chapter 0; Ctrl-C in this window ends it.\nOne evening: chapters 1, 2 and 4 lead from a "
                    "nudge to a network that your own engine trains.\n")

    (folder / "01_nudge_it.ipynb").write_text("mine", encoding="utf-8")
    (folder / "02_the_grad_drawer.ipynb").unlink()
    before = contents(folder)
    start.main([])
    assert set(contents(folder)) - set(before) == {"02_the_grad_drawer.ipynb"}
    assert before.items() <= contents(folder).items()
    assert ", 1 of them new. " in capfd.readouterr().err
    start.main([])
    assert ", as you left them. " in capfd.readouterr().err


def test_jupyterlab_trusts_them(learner):
    nbformat, sign = pytest.importorskip("nbformat"), pytest.importorskip("nbformat.sign")
    start, folder, _ = learner
    start.TRUST = load(ROOT).TRUST
    start.main([])
    notary = sign.NotebookNotary()
    try:
        assert all(notary.check_signature(nbformat.read(path, as_version=4)) for path in folder.iterdir())
    finally:
        notary.store.close()  # Python 3.13 warns of an open database, in whatever test comes next


def test_a_fresh_chapter_gets_a_new_name(learner, capfd):
    start, folder, ran = learner
    start.main([])
    before = contents(folder)
    for number in (2, 3):
        start.main(["--fresh", "3"])
        said = capfd.readouterr().err
        assert f"03v{number}_what_did_my_line_record.ipynb; your own file stays as it is" in said
    own = before["03_what_did_my_line_record.ipynb"]
    assert contents(folder) == {**before, "03v2_what_did_my_line_record.ipynb": own,
                                "03v3_what_did_my_line_record.ipynb": own}
    assert len(ran) == 1, "it opens nothing"


def test_the_teacher_s_chapters_are_opened_as_they_are(learner, capfd):
    start, folder, ran = learner
    start.main(["--no-browser", "--teacher"])
    assert ran[0][-2:] == ["--no-browser", str(ROOT / "notebooks")] and not folder.exists()
    assert "The teacher's chapters, with solutions, are in " in capfd.readouterr().err


def test_to_set_up_and_to_run_the_tests_open_nothing(learner, capfd):
    start, folder, ran = learner
    assert start.main(["--set-up"]) == 0 and not ran
    assert "Everything is set up in .venv." in capfd.readouterr().err
    start.main(["test", "-k", "hooks"])
    assert ran == [[sys.executable, "-m", "pytest", "-n", "auto", "-k", "hooks"]]
    assert not folder.exists()


def test_pytorch_is_added_when_asked_for(learner, capfd, monkeypatch):
    start, folder, ran = learner
    asked = []
    monkeypatch.setattr(start, "pip_install", lambda python, arguments: asked.append(arguments))
    assert start.main(["--with-torch"]) == 0 and asked == [start.TORCH] and not ran and not folder.exists()
    assert "In a chapter, make `import minigrad as torch` into `import torch`." in capfd.readouterr().err

    def no_network(python, arguments):
        raise subprocess.CalledProcessError(1, "pip", "NewConnectionError")

    monkeypatch.setattr(start, "pip_install", no_network)
    with pytest.raises(SystemExit, match="PyTorch was not added: pip cannot reach the package index"):
        start.main(["--with-torch"])


def test_help_names_every_option(learner, capfd):
    start, folder, ran = learner
    assert start.main(["--help"]) == 0 and not ran and not folder.exists()
    shown = capfd.readouterr().out
    options = set(re.findall(r'"(--[a-z-]+)"', (ROOT / "start.py").read_text(encoding="utf-8")))
    ours = {"--fresh", "--teacher", "--set-up", "--with-torch", "--help", "--allow-root"}
    assert ours <= options and all(f"start.py {one}" in shown for one in ours)


def test_paths_on_windows(monkeypatch):
    source = (ROOT / "start.py").read_text(encoding="utf-8")
    start = {"__name__": "start", "__file__": str(ROOT / "start.py")}
    with monkeypatch.context() as windows:
        windows.setattr(os, "name", "nt")
        exec(compile(source, "start.py", "exec"), start)
    assert start["PYTHON"] == os.path.join(str(ROOT), ".venv", "Scripts", "python.exe")


def test_a_folder_whose_letters_no_code_page_has(learner, capfd, monkeypatch, tmp_path):
    start, *_ = learner
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    start.OWN = str(tmp_path / "\u0141\u00f3d\u017a")
    start.main(["--fresh", "3"])
    assert os.listdir(start.OWN) == ["03v2_what_did_my_line_record.ipynb"]


@pytest.mark.parametrize(("display", "given", "wanted"), [
    ("", [], ["--allow-root", "--no-browser"]),
    ("", ["--no-browser", "--allow-root"], ["--no-browser", "--allow-root"]),
    (":0", [], ["--allow-root"]),
    (":0", ["--allow-root", "--port=1"], ["--allow-root", "--port=1"])])
def test_root_needs_no_option(learner, monkeypatch, capfd, display, given, wanted):
    start, folder, ran = learner
    folder.mkdir()
    (folder / "00_chapter.ipynb").touch()
    start.ready = lambda teacher: str(folder)   # other tests make the chapters, which takes a process
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    for name in ("WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", display)
    assert start.main(given) == 0 and ran[0][4:] == [*wanted, str(folder)]
    assert capfd.readouterr().err.count("You are root, so JupyterLab gets --allow-root.") == 1


def test_jupyterlab_knows_the_settings_that_it_is_given():
    share = Path(sys.prefix, "share", "jupyter")
    for plugin, settings in load(ROOT).LAB_SETTINGS.items():
        package, _, name = plugin.partition(":")
        found = [*share.glob(f"lab/schemas/{package}/{name}.json"),
                 *share.glob(f"labextensions/{package}/schemas/{package}/{name}.json")]
        if not found:
            pytest.skip("JupyterLab is not installed in this environment")
        assert set(settings) <= set(json.loads(found[0].read_text(encoding="utf-8"))["properties"])


def test_every_page_names_the_same_size_and_time():
    takes = load(ROOT).TAKES
    for name in ("README.md", "TEACHERS.md", "requirements.txt"):
        text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert takes in text.replace("# ", ""), name
        sizes = set(re.findall(r"\d+ MB(?! of memory)", text))
        assert sizes == set(re.findall(r"\d+ MB", takes)), name


def test_numpy_computes_in_one_thread_unless_the_learner_says_otherwise(monkeypatch):
    """With its usual threads, chapter 10 takes twice as much of two cores that have other work."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert load(ROOT).environment()["OMP_NUM_THREADS"] == "1"
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    assert load(ROOT).environment()["OMP_NUM_THREADS"] == "4"


# --- what is in the way of the chapters --------------------------------------------------------------------

@pytest.mark.parametrize("word, says", [
    ("99", "there is no chapter '99'; there are 0, 1"),
    ("three", "there is no chapter 'three'; there are 0, 1"),
])
def test_an_unknown_chapter(learner, capfd, word, says):
    start, folder, _ = learner
    with pytest.raises(SystemExit):
        start.main(["--fresh", word])
    assert says in capfd.readouterr().err and not folder.exists()


def test_a_file_where_the_folder_should_be(learner, capfd):
    start, folder, ran = learner
    folder.write_text("notes", encoding="utf-8")
    with pytest.raises(SystemExit):
        start.main([])
    said = capfd.readouterr().err
    assert f"{folder} is a file, and your chapters need a folder of that name. Rename the file" in said
    assert folder.read_text(encoding="utf-8") == "notes" and not ran


@on_posix
def test_a_disk_that_is_full_leaves_whole_chapters_only(tmp_path):
    """A limit for the size of a file acts as the full disk: the first ones fit, and the next doesn't."""
    subprocess.run([sys.executable, "-B", "-m", "minigrad.book", "copy", str(tmp_path / "whole")], cwd=ROOT,
                   check=True, capture_output=True)
    sizes = {path.name: path.stat().st_size for path in sorted((tmp_path / "whole").glob("*.ipynb"))}
    fit = list(accumulate(sizes.values(), max))
    whole = next(at for at in range(1, len(fit)) if fit[at] > fit[at - 1])  # chapters that fit
    most, names = fit[whole - 1], list(sizes)
    command = (f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most})); "
               "from minigrad.book.__main__ import main; sys.exit(main(['copy', sys.argv[1]]))")
    done = subprocess.run([sys.executable, "-B", "-c", command, str(tmp_path / "own")], cwd=ROOT, text=True,
                          capture_output=True)
    assert done.returncode == 1
    assert re.search(rf"{names[whole]} can't be written into .*own: File too large\. The files that are "
                     r"there are whole\. Make room, or choose a folder that you may write to", done.stderr)
    assert sorted(contents(tmp_path / "own")) == names[:whole]


def test_a_folder_that_is_read_only(tmp_path, monkeypatch):
    def denied(path, text):
        raise PermissionError(errno.EACCES, "Permission denied")
    monkeypatch.setattr(own_copies, "create", denied)
    with pytest.raises(ValueError, match=r"Permission denied\. .* choose a folder that you may write to"):
        list(own_copies.copy_chapters(tmp_path))


def test_ctrl_c_while_a_chapter_is_written_leaves_nothing_half_made(tmp_path, monkeypatch):
    def interrupted(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        own_copies.create(tmp_path / "00.ipynb", "{}")
    assert not contents(tmp_path)


def test_a_port_in_use(tmp_path):
    pytest.importorskip("jupyterlab")
    program = ("import start, sys; start.set_up = lambda: None; start.PYTHON = sys.executable; "
               "sys.exit(start.main(sys.argv[1:]))")
    own = {name: str(tmp_path / name) for name in (
        "MINIGRAD_CHAPTERS", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "HOME",
        "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run([sys.executable, "-B", "-c", program, "--allow-root", "--no-browser",
                               "--ServerApp.ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"],
                              cwd=ROOT, env={**os.environ, **own}, text=True, capture_output=True, timeout=60)
    assert done.returncode and f"port {port} is not available" in done.stderr
    assert done.stderr.endswith("If a port is in use, name another one: python3 start.py --port=8890\n")


# --- what is in the way of the set-up ----------------------------------------------------------------------

@pytest.fixture
def clone(tmp_path):
    """(start.py in a folder of its own, that folder, a way to say what pip does); .venv holds one file."""
    shutil.copy(ROOT / "start.py", tmp_path)
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    book = Path("minigrad", "book", "classroom")
    (tmp_path / book).mkdir(parents=True)
    shutil.copy(ROOT / book / "page.css", tmp_path / book)
    start = load(tmp_path)

    def create_venv():
        shutil.rmtree(start.VENV, ignore_errors=True)
        os.makedirs(start.VENV)
        Path(start.VENV, "pyvenv.cfg").touch()

    def pip(program):
        (tmp_path / "pip.py").write_text(program, encoding="utf-8")

    start.create_venv = create_venv
    start.succeeds = lambda command: Path(start.VENV, "pyvenv.cfg").exists()
    pip("")
    return start, tmp_path, pip


def test_a_set_up_is_made_once(clone, capfd):
    start, folder, pip = clone
    start.set_up()
    assert f"Setting up, once. This takes {start.TAKES} ..." in capfd.readouterr().err
    for name, content in start.LAB_FILES.items():
        written = (folder / ".venv/share/jupyter/lab" / name).read_text(encoding="utf-8")
        assert written == content if name.endswith(".css") else json.loads(written) == content
    pip("raise SystemExit('pip ran again')")
    asked = folder / "requirements.txt"
    asked.write_bytes(asked.read_bytes().replace(b"\n", b"\r\n"))  # as git may write it on Windows
    start.set_up()
    assert not capfd.readouterr().err


def test_a_new_style_sheet_is_taken_over(clone):
    start, folder, _ = clone
    start.set_up()
    start.LAB_FILES["minigrad/custom.css"] = "b { color: red }"     # as after `git pull`
    start.set_up()
    [where] = start.SERVER["ServerApp"]["tornado_settings"]["static_custom_path"]
    assert Path(where, "custom.css").read_text(encoding="utf-8") == "b { color: red }"


PIP_SAYS = {
    "no network": ("WARNING: Retrying after connection broken by 'NewConnectionError'",
                   "pip cannot reach the package index. Check the network (or the proxy), then run this"),
    "full disk": ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
                  "the disk is full. The set-up takes about 454 MB and one to two minutes. Make room, then"),
    "read-only": ("ERROR: [Errno 30] Read-only file system: '/x/.venv'", "can't be written to. Close what "),
    "in use, on Windows": ("ERROR: [WinError 32] The process cannot access the file", "Close what runs from"),
    "a long path": ("ERROR: [Errno 2] No such file\nHINT: ... https://pip.pypa.io/warnings/enable-long-paths",
                    r"Move minigrad to a folder with a short name, such as C:\minigrad, then run"),
    "anything else": ("ERROR: No matching distribution found for numpy>=2.2",
                      "found for numpy>=2.2\nCure what these lines report, then run this again."),
}


@pytest.mark.parametrize("case", PIP_SAYS)
def test_pip_fails(clone, case):
    start, folder, pip = clone
    prints, says = PIP_SAYS[case]
    pip(f"print({prints!r}); raise SystemExit(1)")
    with pytest.raises(SystemExit) as stopped:
        start.set_up()
    assert stopped.value.code.startswith("Setting up stopped: ") and says in stopped.value.code
    assert stopped.value.code.endswith("Nothing half-made was left.")
    assert not (folder / ".venv").exists()


@pytest.mark.parametrize("error, says", [
    (NO_SPACE, "the disk is full"),
    (PermissionError(errno.EACCES, "Permission denied", ".venv"), "can't be written to"),
    (subprocess.CalledProcessError(1, "venv", "Error: [Errno 13] Permission denied: '/x/.venv'"),
     "can't be written to"),
])
def test_the_environment_cannot_be_made(clone, error, says):
    start, folder, _ = clone
    make = start.create_venv

    def fails():
        make()
        raise error
    start.create_venv = fails
    with pytest.raises(SystemExit, match=says):
        start.set_up()
    assert not (folder / ".venv").exists()


def test_a_disk_that_is_full_at_the_last_moment(clone):
    start, folder, _ = clone

    def fails(path, value):
        raise NO_SPACE
    start.write_json = fails
    with pytest.raises(SystemExit, match="the disk is full"):
        start.set_up()
    assert not (folder / ".venv").exists()


@on_posix
def test_ctrl_c_in_the_set_up(clone):
    """A real signal, to a real process, while pip runs."""
    start, folder, pip = clone
    pip("import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(60)")
    (folder / "venv.py").write_text("import os, sys; os.makedirs('.venv/bin'); "
                                    "os.symlink(sys.executable, '.venv/bin/python')", encoding="utf-8")
    listens = ("import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
               "sys.argv = ['start.py', '--set-up']; runpy.run_path('start.py', run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", listens], cwd=folder, text=True, capture_output=True,
                          timeout=30)
    assert done.returncode == 1
    assert done.stderr.endswith("\nStopped. Nothing half-made was left; the next run begins again.\n")
    assert not (folder / ".venv").exists()


@pytest.mark.parametrize("damaged", [b"{", b"5", b'{"a": 1}', b"", b"\xff\xfe", None])
def test_a_damaged_set_up_file_costs_one_look_of_pip(clone, damaged):
    """Nothing is deleted: an environment that works, whoever made it, is brought up to date."""
    start, folder, pip = clone
    start.set_up()
    state, own = folder / ".venv/set-up.json", folder / ".venv/own"
    own.touch()
    good = state.read_bytes()
    if damaged is None:
        state.unlink()
    else:
        state.write_bytes(damaged)
    pip("print('No matching distribution'); raise SystemExit(1)")
    with pytest.raises(SystemExit) as stopped:
        start.set_up()
    assert stopped.value.code.endswith("then run this again.") and own.exists()
    pip("")
    start.set_up()
    assert state.read_bytes() == good and own.exists()


def test_an_environment_that_came_from_another_folder_is_made_anew(clone):
    start, folder, _ = clone
    start.set_up()
    (folder / ".venv/own").touch()
    (folder / ".venv/set-up.json").write_text('["/elsewhere", "x"]', encoding="utf-8")
    start.set_up()
    assert not (folder / ".venv/own").exists()


def test_a_clone_without_its_requirements(clone):
    start, folder, _ = clone
    (folder / "requirements.txt").unlink()
    with pytest.raises(SystemExit, match=r"No such file.*requirements\.txt"):
        start.set_up()
