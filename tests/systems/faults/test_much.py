"""Much at once: a graph of 200,000 nodes, and 10,000 cells in one kernel."""
import json
import os
import statistics
import time

import pytest

from tests import ROOT

from . import run, slow

NODES = 200_000
SLOPES = {"chain": 1, "wide": NODES, "tree": NODES // 2, "twice": 4}


@pytest.mark.parametrize("shape, drawn", [
    ("chain", "no"), *(pytest.param(shape, "no", marks=slow) for shape in ("wide", "tree", "twice")),
    pytest.param("chain", "yes", marks=slow), pytest.param("tree", "yes", marks=slow)])
def test_a_large_graph_is_built_drawn_run_and_freed(shape, drawn):
    done = run("-m", f"{__package__}.large_graph", shape, str(NODES), drawn, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout)
    print(facts)
    assert facts["slope"] == SLOPES[shape]
    assert facts["blocks"] > NODES and facts["left"] < NODES // 100
    assert drawn == "no" or facts["boxes"] <= 60


FIRST = """
import gc, os, sys
import minigrad as torch
from minigrad.book import *
from minigrad.viz import draw, play, watch
shell = get_ipython()
shell.displayhook.do_full_cache = False  # IPython would keep each result for good, and each output:
def memory():
    getattr(shell.history_manager, "outputs", {}).clear()
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1]) if os.path.exists("/proc/self/statm") else 0
    return sys.getallocatedblocks(), pages * 4096 // 2 ** 20, len(gc.get_objects())
"""
CELLS = [  # of a chapter; the last line of a cell is shown
    "a = torch.tensor([1., 2.], requires_grad=True)\nb = (a * a).sum()\nb",
    "draw(b)",
    "b.backward()\na.grad",
    'predict("6.1", "A", "certain")',
    'reveal("6.1")',
    'predict("6.2", "B", "a guess")',
    'check("6b", [1, 2, 3, 4, 5])',
    'hint("6b")',
    "with watch():\n    c = (a * 2).sum()\n    c.backward()",
    'expect_error(lambda: b.backward())',
]
CELLS_IN_ALL, EACH = 10_000, 2_500


@slow
def test_ten_thousand_cells_in_one_kernel(tmp_path):
    """Memory grows by what IPython keeps of the source alone, and a cell takes as long as at first.

    Left out is a question with its buttons, predict("6.2"): ipywidgets keep 45 kB of each for good.
    """
    pytest.importorskip("jupyter_client")
    from jupyter_client.manager import start_new_kernel
    manager, client = start_new_kernel(cwd=str(tmp_path), env={
        **os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": str(tmp_path / "progress.json")})
    try:
        def cell(source):
            said = []
            reply = client.execute_interactive(source, timeout=60, output_hook=lambda message: said.append(
                message["content"]))["content"]
            assert reply["status"] == "ok", (source, reply)
            return said

        cell(FIRST)
        rows = []
        for _ in range(0, CELLS_IN_ALL, EACH):
            times = []
            for at in range(EACH):
                start = time.perf_counter()
                cell(CELLS[at % len(CELLS)])
                times.append(time.perf_counter() - start)
            (shown,) = (one["data"]["text/plain"] for one in cell("memory()") if "data" in one)
            rows.append((*map(int, shown.strip("()").split(",")), statistics.median(times)))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(rows)
    (blocks, megabytes, objects, seconds), last = rows[1], rows[-1]  # the first fill IPython's lists
    cells = CELLS_IN_ALL // 2
    assert last[0] - blocks < 25 * cells and last[1] - megabytes < 30 and last[2] - objects < 2 * cells, rows
    assert last[3] < 2 * seconds, rows
