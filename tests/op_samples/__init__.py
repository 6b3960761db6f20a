"""The table of operations: a row for each, by module (see sample.py)."""
