"""The fixture of the tests that ask both libraries."""
import pytest


@pytest.fixture(params=["minigrad", "torch"])
def torch(request):
    """The library that a test asks: minigrad and, where it is installed, PyTorch."""
    return pytest.importorskip(request.param)
