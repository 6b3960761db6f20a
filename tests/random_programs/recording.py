"""The recorded sample: programs with the traces real PyTorch gave, in one compressed JSON file."""
import gzip
import json
from pathlib import Path

# Programs in which minigrad once differed, each in a way of its own; they are recorded with the others.
ONCE_DIFFERED = (
    630, 785, 930, 1927, 2100, 2973, 7183, 7462, 7974, 9720, 10000, 13180, 30126, 30318, 30649, 32406, 34848,
    34864, 38188, 39183, 39327, 40178, 40420, 40699, 41305, 41390, 41966, 43064, 500531,
    700055, 700831, 701687, 701775, 704528, 705413, 706104, 708072, 708350, 708938,
    711412, 712646, 710121, 712811, 715267, 717899)

FILE = Path(__file__).resolve().parents[1] / "data" / "random_programs.json.gz"


def save(records, version, file=FILE):
    """records: a list of {"seed", "every", "statements", "trace"}."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"torch": version, "programs": records}, separators=(",", ":"))
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return file.stat().st_size


def load(file=FILE):
    return json.loads(gzip.decompress(file.read_bytes()))
