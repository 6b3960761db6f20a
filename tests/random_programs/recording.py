"""The recorded sample: programs with the traces real PyTorch gave, in one compressed JSON file."""
import gzip
import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "data" / "random_programs.json.gz"


def save(records, version, file=FILE):
    """records: a list of {"seed", "every", "statements", "trace"}."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"torch": version, "programs": records}, separators=(",", ":"))
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return file.stat().st_size


def load(file=FILE):
    return json.loads(gzip.decompress(file.read_bytes()))
