"""The tests, by subject. Run them from the root of the repository: `pytest`, or `pytest tests/engine`."""
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
