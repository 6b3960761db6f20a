"""The recorded sample: programs with the traces of real PyTorch, in one compressed JSON file."""
import gzip
import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "data" / "random_programs.json.gz"


def save(records, version):
    """Write a list of {"seed", "every", "statements", "trace"}; return the size of the file."""
    text = json.dumps({"torch": version, "programs": records}, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return FILE.stat().st_size


def load():
    return json.loads(gzip.decompress(FILE.read_bytes()))
