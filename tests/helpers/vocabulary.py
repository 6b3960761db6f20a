"""The names of the vocabulary.

    python -m tests.helpers.vocabulary            print which of them minigrad lacks, what it has beyond them
    python -m tests.helpers.vocabulary --write    write the table of docs/vocabulary.md, too
"""
from __future__ import annotations

import ast
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from tests import ROOT

PAGE = ROOT / "docs" / "vocabulary.md"

DTYPES = "float32 float64 float16 int64 int32 int16 int8 uint8 bool"
MAKING = """tensor as_tensor from_numpy zeros ones full empty eye arange linspace zeros_like
    ones_like full_like empty_like rand randn randint randperm normal rand_like randn_like
    Generator manual_seed get_rng_state set_rng_state set_default_dtype get_default_dtype
    set_default_tensor_type"""
MAKING_METHODS = "new_ones new_zeros"
ARITHMETIC = """add sub mul div neg pow reciprocal square sqrt rsqrt exp log log1p sin cos tan
    tanh sigmoid relu abs sign clamp clamp_min clamp_max floor ceil round lerp addcmul addcdiv"""
CHOICES = "maximum minimum where eq ne lt le gt ge isnan isinf isfinite isclose allclose equal"
REDUCTIONS = """sum mean prod std var norm max min amax amin argmax argmin any all logsumexp
    softmax log_softmax cumsum cumprod count_nonzero nansum sort topk median"""
SHAPES = """reshape ravel flatten t transpose permute squeeze unsqueeze chunk split unbind select
    narrow diagonal diag tril triu flip as_strided gather scatter scatter_add index_select
    masked_fill masked_select nonzero"""
SHAPE_METHODS = "view view_as T expand expand_as repeat contiguous scatter_ scatter_add_ index_add_"
PRODUCTS = "matmul mm bmm mv dot outer addmm"
CONVERSIONS = "to float double long int bool half type cpu"
IN_PLACE = "fill_ zero_ copy_ normal_ uniform_ detach_ requires_grad_ masked_fill_"
TENSOR = """item tolist numpy clone detach backward grad grad_fn is_leaf requires_grad
    retain_grad retains_grad data dtype device shape size stride dim ndim numel is_contiguous
    is_floating_point register_hook register_post_accumulate_grad_hook _version _base
    output_nr"""
FUNCTIONAL = """relu leaky_relu elu gelu silu tanh sigmoid softmax log_softmax softplus linear
    dropout batch_norm layer_norm embedding one_hot mse_loss l1_loss smooth_l1_loss huber_loss
    cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits"""
VOCABULARY = {
    "": " ".join([DTYPES, MAKING, ARITHMETIC, CHOICES, REDUCTIONS, SHAPES, PRODUCTS, """
        var_mean stack cat einsum no_grad enable_grad set_grad_enabled inference_mode
        is_grad_enabled is_inference_mode_enabled is_anomaly_enabled save load Tensor Size dtype"""]),
    "Tensor": " ".join([ARITHMETIC, REDUCTIONS, SHAPES, SHAPE_METHODS, PRODUCTS, CONVERSIONS,
                        IN_PLACE, TENSOR, MAKING_METHODS,
                        "where eq ne lt le gt ge isnan isinf isfinite isclose allclose equal",
                        " ".join([f"{name}_" for name in ARITHMETIC.split()])]),
    "autograd": """backward grad Function no_grad enable_grad set_grad_enabled inference_mode
        detect_anomaly set_detect_anomaly gradcheck gradgradcheck Variable""",
    "autograd.function": "Function once_differentiable",
    "autograd.functional": "jacobian hessian vjp jvp vhp hvp",
    "autograd.graph": """Node GradientEdge get_gradient_edge saved_tensors_hooks save_on_cpu
        disable_saved_tensors_hooks register_multi_grad_hook allow_mutation_on_saved_tensors
        increment_version""",
    "nn": """Module Parameter ParameterList ParameterDict Sequential ModuleList ModuleDict Linear
        LazyLinear Flatten Dropout ReLU LeakyReLU ELU GELU SiLU Tanh Sigmoid Softmax LogSoftmax
        BatchNorm1d LayerNorm Embedding MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss
        NLLLoss BCELoss BCEWithLogitsLoss""",
    "nn.functional": FUNCTIONAL,
    "nn.init": """zeros_ ones_ constant_ normal_ uniform_ xavier_uniform_ xavier_normal_
        kaiming_uniform_ kaiming_normal_""",
    "nn.utils": "clip_grad_norm_ clip_grad_value_ parameters_to_vector vector_to_parameters",
    "optim": "Optimizer SGD Adam AdamW RMSprop Adagrad",
    "optim.lr_scheduler": "LambdaLR StepLR ExponentialLR CosineAnnealingLR",
    "utils.checkpoint": "checkpoint",
    "utils.data": "Dataset TensorDataset DataLoader random_split",
    "cuda": "is_available manual_seed manual_seed_all",
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


# --- the page ----------------------------------------------------------------------------

# For each group of the table: (part of the package, its names), and what its names alone don't say.
# A part that is not obvious is written before its names.
GROUPS = {
    "types": ([("", DTYPES), ("Tensor", CONVERSIONS)],
              "float16 is for storage only; the last nine are methods"),
    "making": ([("", MAKING), ("Tensor", MAKING_METHODS)],
               "with PyTorch's numbers for the same seed"),
    "arithmetic": ([("", ARITHMETIC), ("", CHOICES)],
                   "the operators `+ - * / // % ** & \\| ~` with numbers, broadcasting and promotion"),
    "reducing": ([("", f"{REDUCTIONS} var_mean")], ""),
    "shapes": ([("", SHAPES), ("Tensor", SHAPE_METHODS), ("", "stack cat")],
               "indexing of every kind that NumPy and PyTorch share"),
    "products": ([("", PRODUCTS), ("", "einsum")], "the operator `@`"),
    "in place": ([("Tensor", IN_PLACE)],
                 "the form with an underscore of every name under arithmetic"),
    "tensors": ([("Tensor", TENSOR)], ""),
    "graph": ([("", "is_grad_enabled is_inference_mode_enabled is_anomaly_enabled"),
               *[(part, VOCABULARY[part]) for part in VOCABULARY if part.startswith("autograd")]],
              "`metadata`, `next_functions` and what is saved on nodes; hooks of tensors and nodes"),
    "nn": ([(part, VOCABULARY[part]) for part in VOCABULARY if part.startswith("nn")],
           "hooks of modules"),
    "optim": ([(part, VOCABULARY[part]) for part in VOCABULARY if part.startswith("optim")], ""),
    "utils": ([("", "save load"), *[(part, VOCABULARY[part]) for part in VOCABULARY
                                    if part.startswith(("utils", "cuda"))]], ""),
}
HEAD = "| group | in the core | in `minigrad/more`, loaded when first used | also |"


def is_in_more(part, name):
    """Return whether a name is defined in minigrad/more, and loaded when it is first used."""
    if find_spec("minigrad.more") is None:
        return False
    find_module = import_module("minigrad.more").find_module
    found = find_module(part, name) or part and find_module("", part.partition(".")[0])
    return bool(found)


def table():
    """Return the table of the page, in Markdown."""
    rows = [HEAD, "|---|---|---|---|"]
    for group, (parts, also) in GROUPS.items():
        cells = [" · ".join(filter(None, [listed(part, names, wanted) for part, names in parts]))
                 for wanted in (False, True)]
        rows.append(f"| {group} | {cells[0]} | {cells[1]} | {also} |")
    return "\n".join(rows)


def listed(part, names, wanted):
    """Return those names of a part that are in minigrad/more, or those that are not."""
    found = [name for name in names.split() if is_in_more(part, name) is wanted]
    if not found:
        return ""
    if "." in part or part == "cuda":
        return f"`{part}`: `{' '.join(found)}`"
    return f"`{' '.join(found)}`"


def table_in_the_page():
    """Return the table that stands in docs/vocabulary.md."""
    return HEAD + PAGE.read_text(encoding="utf-8").split(HEAD)[1].split("\n\n")[0]


def write_table():
    """Bring the table of the page up to date; return the page if it was old."""
    text = PAGE.read_text(encoding="utf-8")
    new = text.replace(table_in_the_page(), table())
    PAGE.write_text(new, encoding="utf-8", newline="\n")
    return [PAGE] if new != text else []


def main(arguments):
    import minigrad

    print("missing:", " ".join(missing(minigrad)))
    print("beyond the vocabulary:", " ".join(beyond(minigrad)))
    if arguments == ["--write"]:
        write_table()


if __name__ == "__main__":
    main(sys.argv[1:])
