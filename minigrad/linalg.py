"""torch.linalg: norms, products and decompositions of matrices."""
from .arguments import function_form
from .messages import without
from .ops.factorisations import cond, eigh, eigvalsh, matrix_rank, pinv, qr, svd, svdvals
from .ops.factorisations import linalg_cholesky as cholesky
from .ops.linalg import matmul
from .ops.matrices import LinAlgError, det, inv, linalg_slogdet, solve
from .ops.norms import linalg_norm as norm
from .ops.norms import matrix_norm, vector_norm
from .ops.products import linalg_cross as cross
from .ops.products import matrix_power, multi_dot

__all__ = ["LinAlgError", "cholesky", "cond", "cross", "det", "eigh", "eigvalsh", "inv", "matmul",
           "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet",
           "solve", "svd", "svdvals", "vector_norm"]

slogdet = linalg_slogdet
globals().update({name: function_form(globals()[name], f"linalg_{name}") for name in __all__[1:]})

__getattr__ = without(__name__)
