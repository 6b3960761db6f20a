"""JupyterLab, started as a learner starts it, serves the learner's own chapters: to this machine, by token,
trusted, and without solutions. Started as a teacher starts it, it serves the chapters of notebooks/.

    python .ci/check_lab.py

Standard library alone, and any system.
"""
import json
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.helpers.lab import chapters, lab


def listening_addresses(port):
    """The local addresses on which this port listens, as the kernel's own table has them; Linux only."""
    found = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        rows = table.read_text(encoding="utf-8").splitlines()[1:] if table.exists() else []
        for local, state in ((row.split()[1], row.split()[3]) for row in rows):
            address, number = local.split(":")
            if state == "0A" and int(number, 16) == port:
                found.add(address)
    return found


def need(condition, complaint):
    if not condition:
        sys.exit(f"check_lab: {complaint}")


LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


def main():
    own = [name for name in chapters() if name[0].isdigit()]  # not the gallery, which has no questions
    need(own, "there is no chapter in notebooks/")
    serves([*own, "contents.ipynb"])
    serves(chapters(), "--teacher")
    print(f"check_lab: JupyterLab serves a learner's {len(own)} chapters with their contents, and the "
          f"teacher's {len(chapters())} notebooks, trusted, on this machine only")


def serves(names, *options):
    with lab(*options) as server:
        need(server.ask("/api/contents", token=False)[0] == 403, "the contents are served without the token")
        where = listening_addresses(server.port)
        need(where <= LOOPBACK, f"it listens on {where}, which others can reach")
        listed = json.loads(server.ask("/api/contents")[1])["content"]
        need(sorted(item["name"] for item in listed if item["type"] == "notebook") == names, "other files")
        for name in names:
            status, body = server.ask("/api/contents/" + quote(name))
            need(status == 200, f"{name} is not served: {status}")
            model = json.loads(body)
            need(model["type"] == "notebook" and model["content"]["cells"], f"{name} has no cells")
            hidden = [place for place, cell in enumerate(model["content"]["cells"])
                      if cell["cell_type"] == "code" and not cell["metadata"].get("trusted")]
            need(not hidden, f"{name}: drawings in the cells {hidden} would not show, they are not trusted")
            need(options or "SOLUTION" not in body, f"{name}: a learner gets a solution")
        status, body = server.ask("/doc/tree/" + quote(names[0]))
        need(status == 200 and "jupyter-config-data" in body, f"no page of JupyterLab for {names[0]}")
        kernels = json.loads(server.ask("/api/kernelspecs")[1])["kernelspecs"]
        need("python3" in kernels, f"there is no Python kernel, only {sorted(kernels)}")


if __name__ == "__main__":
    main()
