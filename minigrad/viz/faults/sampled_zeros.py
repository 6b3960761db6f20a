"""For `why`: samples that are recorded and pass zeros on to what they were drawn by."""
from __future__ import annotations

from ..drawing.explanation import Fix

WORDS = ("draws a sample, and passes zeros on to the tensors that it draws by, whatever arrives "
         "there")
OWN = "the slope of the sample is that of its mean, which is not exact"


def fix_of(name: str) -> Fix:
    """What lets gradients through, by the name of the node that drew the sample."""
    if name.startswith("Normal"):
        like = "mean" if name.endswith("1") else "std"
        return Fix(f"Write `mean + std * torch.randn_like({like})` in place of "
                   "`torch.normal(mean, std)`.", "none")
    drawn = name.partition("Backward")[0].lower()
    return Fix(f"Add the slope of the mean: `drawn = torch.{drawn}(p)`, then "
               "`drawn + p - p.detach()`.", OWN)
