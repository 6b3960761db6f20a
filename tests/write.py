"""Write everything that is generated from the sources, and print what was old.

    python -m tests.write

That is the table of sizes in CONTRIBUTING.md, the table of docs/vocabulary.md, docs/versions.md and what
else is said of releases of PyTorch, the stubs, and what `python -m minigrad.book write` writes of the
chapters: titles, minutes and tables.
"""
from __future__ import annotations

from minigrad.book.build import tables
from tests import house, stubs
from tests.helpers import vocabulary
from tests.versions import page


def main():
    old = [*house.write_table(house.House()), *vocabulary.write_table(), *page.write(),
           *stubs.write_stubs(), *tables.write()]
    for path in old:
        print("written:", path.relative_to(house.ROOT))
    if not old:
        print("everything was up to date")


if __name__ == "__main__":
    main()
