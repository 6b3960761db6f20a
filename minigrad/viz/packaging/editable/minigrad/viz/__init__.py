"""The `minigrad.viz` that `pip install -e ./minigrad/viz` puts on the path: it is the sources.

The folder around the sources can't be put there, because minigrad's engine would come along.
"""
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

folder = Path(__file__).resolve().parents[4]
spec = spec_from_file_location(__name__, folder / "__init__.py",
                               submodule_search_locations=[str(folder)])
assert spec is not None and spec.loader is not None
sys.modules[__name__] = module_from_spec(spec)
spec.loader.exec_module(sys.modules[__name__])
