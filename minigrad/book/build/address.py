"""The address of this project's repository, in one place. While it is empty, pages say what works without it.

Write it here, as "https://github.com/OWNER/NAME". GitHub's workflow for the site passes its own address, in
the environment variable MINIGRAD_REPOSITORY.
"""
from __future__ import annotations

import os
import re

REPOSITORY = ""
BRANCH = "main"

ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git|/)?")


def repository() -> tuple[str, str] | None:
    """Return the owner and the name of the repository on GitHub; None as long as there is no address.

    Raises:
        ValueError: there is an address, and it is not one of a repository on GitHub.
    """
    address = os.environ.get("MINIGRAD_REPOSITORY") or REPOSITORY
    if not address:
        return None
    found = ON_GITHUB.fullmatch(address)
    if not found:
        raise ValueError(f"the repository's address must be https://github.com/OWNER/NAME, not {address!r}; "
                         "it is in minigrad/book/build/address.py, or in the variable MINIGRAD_REPOSITORY")
    return found[1], found[2]


def site() -> str:
    """Return the address of the published site, with a slash at its end; empty if there is none."""
    found = repository()
    return f"https://{found[0].lower()}.github.io/{found[1]}/" if found else ""
