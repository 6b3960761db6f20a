"""torch.special: functions with a name of their own in mathematics; most are under ``torch``, too."""
from . import methods
from .arguments import function_form
from .messages import without
from .ops.special import _i1

SAME = """
digamma erf erfc erfinv exp2 expm1 i0 log1p log_softmax logit logsumexp polygamma round sinc softmax xlogy
""".split()

globals().update({name: methods.FUNCTIONS[name] for name in SAME if name in methods.FUNCTIONS})
expit, gammaln, psi = [methods.FUNCTIONS[name] for name in ("sigmoid", "lgamma", "digamma")]
i1 = function_form(_i1, "special_i1")

__getattr__ = without(__name__)
