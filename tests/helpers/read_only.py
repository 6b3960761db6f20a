"""A folder in which nothing can be written, whoever runs the tests."""
import contextlib
import os
import tempfile
from pathlib import Path


@contextlib.contextmanager
def a_read_only_folder():
    """Root may write everywhere, so where the tests run as root they stop being it for a while."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        folder.rmdir()
