#!/bin/sh
# jsonschema 4.26.0 with its extra "format-nongpl", which jupyter-events 0.12.1 asks for, so that every JupyterLab has
# it; rfc3987-syntax 1.1.0, lark 1.3.1, nbformat 5.11.1.
# Guess: an extra for the check of a format costs nothing until a schema asks for this check.
# Seen: "with 1.30 s, without 0.16 s", a ratio of 8. jsonschema imports that package when it is imported itself, and the
# package then makes 39 parsers from its grammar, one for each rule of RFC 3987. So each start of JupyterLab and of pytest
# with nbval pays for them: on a busy machine `import jupyterlab.labapp` took 5.7 s, and 2.2 s without the package.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q jupyter-events==0.12.1 "jsonschema[format-nongpl]==4.26.0" rfc3987-syntax==1.1.0 \
    lark==1.3.1 nbformat==5.11.1
cat > "$folder/seconds.py" <<'PY'
import subprocess
import sys
import time


def seconds():
    """The shortest of three starts of Python that import nbformat; one before has compiled its files."""
    times = []
    for _ in range(4):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import nbformat"], check=True)
        times.append(time.perf_counter() - start)
    return min(times[1:])


before = seconds()
subprocess.run([sys.executable, "-m", "pip", "uninstall", "-q", "--yes", "rfc3987-syntax"], check=True)
after = seconds()
print(f"with {before:.2f} s, without {after:.2f} s")
assert before > 3 * after
PY
"$folder/env/bin/python" "$folder/seconds.py"
