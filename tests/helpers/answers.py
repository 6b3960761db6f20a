"""What PyTorch answered, recorded in compressed JSON files: tests/data/<name>.json.gz."""
import gzip
import json

from tests import ROOT


def path_of(name):
    return ROOT / "tests" / "data" / f"{name}.json.gz"


def save(name, answers):
    """Write the answers, and return the size of the file; the same answers are the same bytes."""
    text = json.dumps(answers, separators=(",", ":"))
    path_of(name).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return path_of(name).stat().st_size


def load(name):
    return json.loads(gzip.decompress(path_of(name).read_bytes()))
