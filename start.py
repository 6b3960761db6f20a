"""Set up once, then open the chapters or run the tests. The same on Linux, macOS and Windows.

    python3 start.py               make your own copies of the chapters, and open them in JupyterLab
    python3 start.py --fresh 3     make one more copy of chapter 3; your own file stays as it is
    python3 start.py --teacher     open the teacher's chapters, with their solutions
    python3 start.py --set-up      set up, and open nothing
    python3 start.py --with-torch  add PyTorch 2.13, so that a chapter may say `import torch`; open nothing
    python3 start.py test          run all the tests, and every chapter from top to bottom
    python3 start.py --help        show this text

Anything added is handed on, to JupyterLab or to pytest:

    python3 start.py --no-browser   don't open a browser; the address is printed
    python3 start.py --port=8890    use another port
    python3 start.py --allow-root   run as root; where you are root, this is added for you
    python3 start.py test -k hooks  run only the tests whose names have "hooks" in them

The tests take about five minutes on two cores, and print how far they are. Everything is installed into the
folder .venv beside this file, and nowhere else; delete that folder to undo it. Your chapters are in
my_chapters beside it, or in the folder that the environment variable MINIGRAD_CHAPTERS names.
"""
import sys

if sys.version_info < (3, 10):  # this file avoids newer syntax, so that an old Python comes as far as here
    sys.exit("minigrad needs Python 3.10 or newer, and this is Python %d.%d. Install a newer one beside it, "
             "then name that: python3.12 start.py, or on Windows: py -3.12 start.py" % sys.version_info[:2])

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
from importlib.util import find_spec

ROOT = os.path.dirname(os.path.realpath(__file__))
TEACHERS = os.path.join(ROOT, "notebooks")
OWN = os.path.abspath(os.environ.get("MINIGRAD_CHAPTERS") or os.path.join(ROOT, "my_chapters"))
VENV = os.path.join(ROOT, ".venv")
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python.exe" if os.name == "nt" else "python")
LAB = os.path.join(VENV, "share", "jupyter", "lab")
FINISHED = os.path.join(VENV, "set-up.json")  # written last: where it exists, the set-up was finished
TRUSTED = os.path.join(VENV, "trusted.json")  # the teacher's chapters as they were when last trusted
TORCH = ["torch==2.13.0", "--extra-index-url", "https://download.pytorch.org/whl/cpu"]  # not the GPU's build
TORCH_TAKES = "about 800 MB and one to five minutes"
TAKES = "about 454 MB and one to two minutes"  # README.md, TEACHERS.md and requirements.txt say the same

# Imported by jsonschema at each start of JupyterLab and of pytest, for 2.5 seconds, and never used here
UNUSED = "rfc3987-syntax"

HEALTHY = "import sys, importlib.util as i; sys.exit(not all(map(i.find_spec, %r)))" % (
    ["IPython", "ipykernel", "jupyterlab", "minigrad", "nbformat", "nbval", "numpy", "pytest", "tqdm",
     "xdist"],)
TRUST = """
import sys, nbformat, nbformat.sign
notary = nbformat.sign.NotebookNotary()
for path in sys.argv[1:]:
    try:
        notebook = nbformat.read(path, as_version=4)
        if not notary.check_signature(notebook):
            notary.sign(notebook)
    except Exception as error:
        print("%s cannot be read as a notebook: %s" % (path, error), file=sys.stderr)
"""
LAB_SETTINGS = {
    # no question about news at the first start, and nothing asked of the network
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # questions, players and labs are still there when a saved chapter is opened again
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    # room for the whole name of a chapter; LAYOUT makes the list of files wide enough
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
}
LAYOUT = {"metadata": {"id": "default"}, "data": {"layout-restorer:data": {
    "left": {"visible": True, "collapsed": False, "current": "filebrowser", "widgets": [
        "filebrowser", "running-sessions", "@jupyterlab/toc:plugin", "extensionmanager.main-view"]},
    "relativeSizes": [0.29, 0.71, 0]}}}
SERVER = {
    "ServerApp": {
        # jupytext is for those who write chapters: a learner's JupyterLab does not load its extensions
        "jpserver_extensions": {"jupyterlab_jupytext": False},
        "tornado_settings": {"static_custom_path": [os.path.join(LAB, "minigrad")]}},
    "LabApp": {"custom_css": True}}
with open(os.path.join(ROOT, "minigrad", "book", "classroom", "page.css"), encoding="utf-8") as file:
    PAGE_CSS = file.read()  # the colours of a chapter's boxes; JupyterLab asks for them as custom.css
LAB_FILES = {"settings/overrides.json": LAB_SETTINGS,
             "settings/page_config.json": {"disabledExtensions": {"jupyterlab-jupytext": True}},
             "../../../etc/jupyter/jupyter_server_config.json": SERVER,
             "minigrad/custom.css": PAGE_CSS,
             "workspaces/default-37a8.jupyterlab-workspace": LAYOUT}  # JupyterLab's name for that layout
REASONS = [  # what pip, venv or the system may say, and what that means here
    (("enable-long-paths",),
     "the names of some files would be too long for Windows. Move minigrad to a folder with a short name, "
     "such as C:\\minigrad"),
    (("[Errno 28]", "[Errno 122]", "[WinError 112]"),
     "the disk is full. The set-up takes %s. Make room" % TAKES),
    (("[Errno 1]", "[Errno 13]", "[Errno 30]", "[WinError 5]", "[WinError 32]"),
     "%s can't be written to. Close what runs from .venv, or copy minigrad to a folder of yours" % ROOT),
    (("connection broken", "NewConnectionError", "Max retries", "ProxyError", "timed out", "getaddrinfo",
      "name resolution"),
     "pip cannot reach the package index. Check the network (or the proxy)"),
]


def main(arguments):
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if arguments[:1] == ["test"]:
        set_up()
        say("All tests and all chapters take about five minutes on two cores.")
        at_once = ["-n", "auto"]  # a process for each core
        return run([PYTHON, "-m", "pytest"] + at_once + arguments[1:])
    parser = argparse.ArgumentParser(prog="start.py", add_help=False, allow_abbrev=False)
    parser.add_argument("--fresh", metavar="CHAPTER")
    parser.add_argument("--teacher", action="store_true")
    parser.add_argument("--set-up", action="store_true")
    parser.add_argument("--with-torch", action="store_true")
    chosen, handed_on = parser.parse_known_args(arguments)
    if chosen.set_up:
        set_up()
        say("Everything is set up in .venv. To open the chapters: python3 start.py")
        return 0
    if chosen.with_torch:
        set_up()
        add_torch()
        return 0
    if chosen.fresh is not None:
        set_up()
        for path in copy_chapters(["--fresh", chosen.fresh]):
            say("Made %s; your own file stays as it is. The new one is in JupyterLab's list of files." % path)
        return 0
    set_up()
    folder = ready(chosen.teacher)
    handed_on = as_root(handed_on)
    chapter = min(name for name in os.listdir(folder) if name.startswith("00_"))
    page = "--LabApp.default_url=/lab/tree/" + chapter
    status = run([PYTHON, "-m", "jupyterlab", page] + handed_on + [folder])
    if status:
        say("JupyterLab ended with an error, and its last lines say which. If a port is in use, name another "
            "one: python3 start.py --port=8890")
    return status


def as_root(options):
    """Add to JupyterLab's options what it needs as root, often the only user in a container."""
    if getattr(os, "geteuid", lambda: 1)() != 0:
        return options
    say("You are root, so JupyterLab gets --allow-root. Unless you name another --ip, only this machine "
        "reaches it, with the token in its address.")
    display = any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
    added = ["--allow-root"] if display else ["--allow-root", "--no-browser"]
    return [one for one in added if one not in options] + options


def ready(teacher):
    """Get the chapters ready, say in one line where they are, and return their folder."""
    folder = TEACHERS if teacher else OWN
    if teacher:
        trust_teachers()
        what = "The teacher's chapters, with solutions, are in %s" % folder
    else:
        made = [path for path in copy_chapters([]) if os.path.basename(path) != "contents.ipynb"]
        state = "%d of them new" % len(made) if made else "as you left them"
        what = "Your chapters are in %s, %s" % (folder, state)
    say(what + ". JupyterLab opens chapter 0; Ctrl-C in this window ends it.")
    say("One evening: chapters 1, 2 and 4 lead from a nudge to a network that your own engine trains.")
    return folder


def copy_chapters(options):
    """Make the copies that are missing, trusted; what there is already is never overwritten."""
    process = subprocess.Popen([PYTHON, "-m", "minigrad.book", "copy", OWN] + options, cwd=ROOT,
                               env=dict(environment(), PYTHONIOENCODING="utf-8"),  # paths hold any letter
                               stdout=subprocess.PIPE, encoding="utf-8")
    made = process.communicate()[0].splitlines()
    if process.returncode:
        sys.exit(process.returncode)  # it has said why
    if made:
        subprocess.call([PYTHON, "-c", TRUST] + made, env=environment())
    return made


def set_up():
    """Make .venv what requirements.txt asks for; when it is that already, this takes a blink."""
    usable = True
    try:
        with open(os.path.join(ROOT, "requirements.txt"), "rb") as file:
            asked = file.read().replace(b"\r\n", b"\n") + json.dumps([LAB_FILES, UNUSED]).encode()
        wanted, made = [ROOT, hashlib.sha256(asked).hexdigest()], read_json(FINISHED)
        moved_here = isinstance(made, list) and made[:1] != [ROOT]
        usable = not moved_here and succeeds([PYTHON, "-I", "-c", HEALTHY])
        if usable and made == wanted:
            return
        say("Bringing .venv up to date ..." if usable else "Setting up, once. This takes %s ..." % TAKES)
        if not usable:
            create_venv()
        pip_install(PYTHON, ["-r", "requirements.txt"])
        answer([PYTHON, "-m", "pip", "uninstall", "--yes", UNUSED])
        for name, content in LAB_FILES.items():
            path = os.path.join(LAB, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_json(path, content)
        write_json(FINISHED, wanted)
    except BaseException as error:
        if not usable:
            shutil.rmtree(VENV, ignore_errors=True)
        if isinstance(error, (OSError, subprocess.CalledProcessError)):
            sys.exit("Setting up stopped: %s, then run this again.%s" % (
                reason("%s\n%s" % (error, getattr(error, "output", ""))),
                "" if usable else " Nothing half-made was left."))
        raise


def add_torch():
    """Put PyTorch into .venv; the chapters and the tests find it there."""
    say("Adding PyTorch to .venv. This takes %s ..." % TORCH_TAKES)
    try:
        pip_install(PYTHON, TORCH)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit("PyTorch was not added: %s, then run this again. Everything else is as it was."
                 % reason("%s\n%s" % (error, getattr(error, "output", ""))))
    say("PyTorch is there. In a chapter, make `import minigrad as torch` into `import torch`.")


def reason(printed):
    """What went wrong, in a sentence; where none of ours fits, the last lines that were printed."""
    for signs, sentence in REASONS:
        if any(sign in printed for sign in signs):
            return sentence
    return "\n%s\nCure what these lines report" % "\n".join(printed.strip().splitlines()[-15:])


def create_venv():
    """A new .venv with a pip in it. A system's Python may lack ensurepip; then its own pip lends a hand."""
    has_ensurepip = find_spec("ensurepip") is not None
    if find_spec("venv") is None or not (has_ensurepip or find_spec("pip")):
        sys.exit("This Python lacks what makes a virtual environment (venv and ensurepip). On Debian and "
                 "Ubuntu: sudo apt install python3-venv. Then run this again.")
    options = ["--clear"] if has_ensurepip else ["--clear", "--without-pip"]
    answer([sys.executable, "-m", "venv"] + options + [VENV])
    if not has_ensurepip:
        packages = answer([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        pip_install(sys.executable, ["--target", packages.strip(), "pip"])


def trust_teachers():
    """JupyterLab shows drawings only in notebooks that the user trusts, and git does not carry that along."""
    names = [name for name in sorted(os.listdir(TEACHERS)) if name.endswith(".ipynb")]
    chapters = [os.path.join(TEACHERS, name) for name in names]
    digest = hashlib.sha256(repr([os.path.expanduser("~"), os.environ.get("JUPYTER_DATA_DIR")]).encode())
    for path in chapters:
        with open(path, "rb") as file:
            digest.update(file.read())
    if read_json(TRUSTED) != digest.hexdigest():
        if subprocess.call([PYTHON, "-c", TRUST] + chapters, env=environment()) == 0:
            with contextlib.suppress(OSError):  # then they are trusted again at the next start
                write_json(TRUSTED, digest.hexdigest())


def pip_install(python, arguments):
    """Run pip behind one line that moves; what it printed is kept for the case that it fails."""
    options = ["--no-input", "--no-user", "--disable-pip-version-check", "--progress-bar", "off"]
    command = [python, "-m", "pip", "install"] + options + arguments
    printed = []
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          errors="replace") as process:
        try:
            for line in process.stdout:
                printed.append(line)
                if sys.stderr.isatty():
                    sys.stderr.write("\r  %-76.76s" % line.strip())
            if sys.stderr.isatty():
                sys.stderr.write("\r%79s\r" % "")
        except KeyboardInterrupt:
            process.terminate()
            raise
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, "pip", "".join(printed))


def run(command):
    """Run it to its end. Ctrl-C reaches it by itself: it must answer, and we must wait for the answer."""
    signal.signal(signal.SIGINT, lambda *_: None)
    process = subprocess.Popen(command, cwd=ROOT, env=environment())
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    return process.wait()


def environment():
    """The caller's environment with .venv first, and no path by which other packages could slip in."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    clean.setdefault("JUPYTERLAB_WORKSPACES_DIR", os.path.join(LAB, "workspaces"))
    clean.setdefault("OMP_NUM_THREADS", "1")  # on tensors as small as ours, threads only wait
    return dict(clean, VIRTUAL_ENV=VENV, PATH=BIN + os.pathsep + os.environ.get("PATH", os.defpath))


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def write_json(path, value):
    """Write a value as JSON, or a text as it is."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


def answer(command):
    """What a short command prints."""
    return subprocess.check_output(command, env=environment(), stdin=subprocess.DEVNULL,
                                   stderr=subprocess.STDOUT, universal_newlines=True)


def succeeds(command):
    try:
        answer(command)
        return True
    except (OSError, subprocess.CalledProcessError):
        return False


def say(line):
    sys.stderr.write(line.rstrip() + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nStopped. Nothing half-made was left; the next run begins again.")
