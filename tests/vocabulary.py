"""The names of the vocabulary.

    python -m tests.vocabulary        print which of them minigrad lacks, and what it has beyond them
"""
from __future__ import annotations

import ast
from types import ModuleType

DTYPES = "float32 float64 float16 int64 int32 int16 int8 uint8 bool"
MAKING = """tensor as_tensor from_numpy zeros ones full empty eye arange linspace zeros_like
    ones_like full_like empty_like rand randn randint randperm normal rand_like randn_like
    Generator manual_seed get_rng_state set_rng_state set_default_dtype get_default_dtype"""
ARITHMETIC = """add sub mul div neg pow reciprocal square sqrt rsqrt exp log log1p sin cos tan
    tanh sigmoid relu abs sign clamp floor ceil round lerp addcmul addcdiv"""
CHOICES = "maximum minimum where eq ne lt le gt ge isnan isinf isfinite isclose allclose equal"
REDUCTIONS = """sum mean prod std var norm max min amax amin argmax argmin any all logsumexp
    softmax log_softmax cumsum cumprod count_nonzero nansum sort topk median"""
SHAPES = """reshape flatten t transpose permute squeeze unsqueeze chunk split unbind select
    narrow diagonal diag tril triu flip as_strided gather index_select masked_fill
    masked_select nonzero"""
SHAPE_METHODS = "view view_as T expand expand_as repeat contiguous scatter_ scatter_add_ index_add_"
PRODUCTS = "matmul mm bmm mv dot outer addmm"
CONVERSIONS = "to float double long int bool half type"
IN_PLACE = "fill_ zero_ copy_ normal_ uniform_ detach_ requires_grad_ masked_fill_"
TENSOR = """item tolist numpy clone detach backward grad grad_fn is_leaf requires_grad
    retain_grad retains_grad data dtype device shape size stride dim ndim numel is_contiguous
    is_floating_point register_hook register_post_accumulate_grad_hook _version _base
    output_nr"""
FUNCTIONAL = """relu tanh sigmoid softmax log_softmax softplus linear dropout batch_norm
    layer_norm embedding one_hot mse_loss l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits"""
VOCABULARY = {
    "": " ".join([DTYPES, MAKING, ARITHMETIC, CHOICES, REDUCTIONS, SHAPES, PRODUCTS, """
        var_mean stack cat einsum no_grad enable_grad set_grad_enabled inference_mode
        is_grad_enabled is_inference_mode_enabled save load Tensor Size dtype"""]),
    "Tensor": " ".join([ARITHMETIC, REDUCTIONS, SHAPES, SHAPE_METHODS, PRODUCTS, CONVERSIONS,
                        IN_PLACE, TENSOR,
                        "where eq ne lt le gt ge isnan isinf isfinite isclose allclose equal",
                        " ".join([f"{name}_" for name in ARITHMETIC.split()])]),
    "autograd": """backward grad Function no_grad enable_grad set_grad_enabled inference_mode
        detect_anomaly set_detect_anomaly gradcheck gradgradcheck Variable""",
    "autograd.function": "Function once_differentiable",
    "autograd.functional": "jacobian hessian vjp jvp vhp hvp",
    "autograd.graph": """Node GradientEdge get_gradient_edge saved_tensors_hooks save_on_cpu
        disable_saved_tensors_hooks register_multi_grad_hook allow_mutation_on_saved_tensors
        increment_version""",
    "nn": """Module Parameter Sequential ModuleList ModuleDict Linear Flatten Dropout ReLU
        Tanh Sigmoid Softmax BatchNorm1d LayerNorm Embedding MSELoss L1Loss CrossEntropyLoss
        NLLLoss BCELoss BCEWithLogitsLoss""",
    "nn.functional": FUNCTIONAL,
    "nn.init": """zeros_ ones_ constant_ normal_ uniform_ xavier_uniform_ xavier_normal_
        kaiming_uniform_ kaiming_normal_""",
    "nn.utils": "clip_grad_norm_ clip_grad_value_ parameters_to_vector vector_to_parameters",
    "optim": "Optimizer SGD Adam AdamW RMSprop Adagrad",
    "optim.lr_scheduler": "LambdaLR StepLR ExponentialLR CosineAnnealingLR",
    "utils.checkpoint": "checkpoint",
    "utils.data": "Dataset TensorDataset DataLoader random_split",
}
# Names whose behaviour the table of operations records: what takes a tensor and returns one.
OPERATIONS = " ".join([ARITHMETIC, CHOICES, REDUCTIONS, SHAPES, SHAPE_METHODS, PRODUCTS,
                       CONVERSIONS, FUNCTIONAL,
                       "stack cat einsum var_mean fill_ zero_ copy_ detach_ masked_fill_"]).split()
OPERATIONS += [f"{name}_" for name in ARITHMETIC.split()]


def missing(package):
    """Return the names of the vocabulary that a package does not have."""
    found = []
    for part, names in VOCABULARY.items():
        try:
            holder = package
            for step in filter(None, part.split(".")):
                holder = getattr(holder, step)
        except (AttributeError, ImportError):
            found += [f"{part}.{name}" for name in names.split()]
            continue
        found += [f"{part}.{name}".lstrip(".") for name in names.split()
                  if not hasattr(holder, name)]
    return found


def operations_without_a_row(rows):
    """Return the operations of the vocabulary that no row of the table calls."""
    called = {node.attr for row in rows for node in ast.walk(ast.parse(row))
              if isinstance(node, ast.Attribute)}
    return sorted(set(OPERATIONS) - called)


def beyond(package):
    """Return the public names of a package and its Tensor that the vocabulary does not list."""
    holders = {"": package, "Tensor": package.Tensor, "nn": package.nn, "optim": package.optim}
    return [f"{part}.{name}".lstrip(".") for part, holder in holders.items() for name in dir(holder)
            if not name.startswith("_") and name not in VOCABULARY[part].split()
            and not isinstance(getattr(holder, name, None), ModuleType)]


if __name__ == "__main__":
    import minigrad

    print("missing:", " ".join(missing(minigrad)))
    print("beyond the vocabulary:", " ".join(beyond(minigrad)))
