"""Worker processes behind a pipe: programs go in, traces come out; a worker that dies is started
again."""
import json
import os
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


class Worker:
    """Runs programs with one module in one Python."""

    def __init__(self, module, python=sys.executable):
        self.module, self.python = module, python
        folders = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
        self.environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, folders)),
                                PYTHONHASHSEED="0",
                                OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
        self.process = None

    def start(self):
        command = [self.python, "-W", "ignore", "-m", "random_programs.worker", self.module]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=self.environment, text=True)
        if not self.process.stdout.readline():
            raise RuntimeError(f"cannot start {self.module}:\n{self.process.communicate()[1][-3000:]}")
        # what a program prints must not fill the pipe
        self.said = deque(maxlen=3)
        self.listener = threading.Thread(target=self.said.extend, args=(self.process.stderr,),
                                         daemon=True)
        self.listener.start()

    def run(self, statements, every=True):
        """Return the trace of one program."""
        if self.process is None:
            self.start()
        job = json.dumps({"statements": [source for _, source in statements], "every": every})
        try:
            self.process.stdin.write(job + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)
        status = self.stop()
        return [{"error": f"the process died with status {status}: {''.join(self.said)}"}]

    def stop(self):
        """End the process and close its pipes; return its exit status."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        try:
            process.wait(0.2)              # it may be dying on its own: then its status says why
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        self.listener.join()
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        return process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Pair:
    """Two workers that run the same programs at the same time."""

    def __init__(self, left, right):
        self.workers = left, right
        self.pool = ThreadPoolExecutor(2)

    def run(self, programs):
        """Return the two lists of traces for a list of (statements, every)."""
        def all_of(worker):
            return [worker.run(statements, every) for statements, every in programs]
        return list(self.pool.map(all_of, self.workers))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.stop()
        self.pool.shutdown()
