"""``torch.utils``: recomputing instead of keeping (checkpoint), handles of hooks, batches of data."""
from . import checkpoint, data, hooks
