"""Losses, layers and what else is found in torch.nn.functional."""
from __future__ import annotations

from tests.op_samples.sample import Sample


def matrix(t):
    return t.tensor([[0.3, -1.2, 0.8, 1.7], [-0.4, 0.9, -2.1, 0.2], [1.1, 0.05, -0.7, 0.6]], dtype=t.float64)


def shares(t):
    return t.tensor([[0.2, 0.7, 0.4, 0.9], [0.6, 0.1, 0.8, 0.3], [0.5, 0.35, 0.75, 0.15]], dtype=t.float64)


def both(t):
    return matrix(t), shares(t)


def probabilities(t):
    return shares(t), 1 - shares(t).flip(0)


def with_classes(t):
    return matrix(t), t.tensor([0, 3, 1])


def with_signs(t):
    return matrix(t), t.tensor([[1.0, -1, 1, -1], [-1, 1, 1, 1], [1, 1, -1, -1]])


def picture(t):
    values = [[[[0.1, 0.9], [-0.4, 0.3]], [[1.2, -0.5], [0.7, 0.2]], [[-0.8, 0.6], [0.05, -1.1]]]]
    return t.tensor(values, dtype=t.float64), t.tensor([[[0, 2], [1, 1]]])


def weights(t):
    return t.tensor([0.3, 0.9, 0.5, 0.7], dtype=t.float64)


def functional(name, inputs, *args, second=True, **options):
    """A row that calls torch.nn.functional.<name> on the inputs; options may be functions of the package."""
    def call(t, *tensors):
        given = {key: value(t) if callable(value) else value for key, value in options.items()}
        return getattr(t.nn.functional, name)(*tensors, *args, **given)
    return Sample(name, inputs, call, second=second)


def reductions(name, inputs, **options):
    return [functional(name, inputs, reduction=reduction, **options) for reduction in ("mean", "sum", "none")]


SAMPLES = [
    # distances
    *reductions("mse_loss", both),
    *reductions("l1_loss", both, second=False),
    *reductions("smooth_l1_loss", both, beta=0.7),
    functional("smooth_l1_loss", both, beta=0.0, second=False),
    *reductions("huber_loss", both, delta=0.6),
    functional("mse_loss", lambda t: (matrix(t), shares(t)[0])),
    functional("mse_loss", both, weight=lambda t: t.ones(3, 4, dtype=t.float64) * 2),
    # classes
    *reductions("nll_loss", with_classes),
    *reductions("nll_loss", with_classes, weight=weights),
    functional("nll_loss", with_classes, ignore_index=3),
    functional("nll_loss", lambda t: (matrix(t)[0].detach(), t.tensor(2))),
    *reductions("cross_entropy", with_classes),
    *reductions("cross_entropy", with_classes, weight=weights, label_smoothing=0.1),
    functional("cross_entropy", with_classes, label_smoothing=0.2, ignore_index=3),
    *reductions("cross_entropy", both),
    functional("cross_entropy", both, weight=weights, label_smoothing=0.1),
    functional("cross_entropy", lambda t: (matrix(t)[1].detach(), t.tensor(3))),
    *reductions("cross_entropy", picture),
    functional("cross_entropy", lambda t: (picture(t)[0].flatten(2).detach(), t.tensor([[0, 2, 1, 1]]))),
    # yes or no
    *reductions("binary_cross_entropy", probabilities),
    functional("binary_cross_entropy", probabilities, weight=weights),
    *reductions("binary_cross_entropy_with_logits", both),
    functional("binary_cross_entropy_with_logits", both, weight=weights, pos_weight=weights),
    # distributions
    *reductions("kl_div", lambda t: (matrix(t), shares(t))),
    functional("kl_div", both, reduction="batchmean", log_target=True),
    *reductions("poisson_nll_loss", both),
    functional("poisson_nll_loss", probabilities, log_input=False, full=True),
    functional("gaussian_nll_loss", lambda t: (matrix(t), shares(t), 1 - shares(t) / 2), full=True),
    # margins
    functional("hinge_embedding_loss", with_signs, margin=0.5),
    *reductions("soft_margin_loss", lambda t: (matrix(t), t.sign(with_signs(t)[1]).to(t.int64))),
    functional("margin_ranking_loss", lambda t: (*both(t), with_signs(t)[1].to(t.int64)), margin=0.1),
    functional("cosine_embedding_loss", lambda t: (matrix(t), shares(t), t.tensor([1, -1, 1])), margin=0.1),
    functional("triplet_margin_loss", lambda t: (matrix(t), shares(t), matrix(t).flip(0))),
    functional("multilabel_soft_margin_loss", lambda t: (matrix(t), t.tensor([[1, 0, 0, 1]] * 3))),
    # lengths
    functional("pairwise_distance", both),
    functional("cosine_similarity", both),
    functional("normalize", lambda t: (matrix(t),)),
    # layers
    Sample("linear", lambda t: (matrix(t), shares(t)[:2], weights(t)[:2]),
           lambda t, x, w, b: t.nn.functional.linear(x, w, b)),
    Sample("linear", lambda t: (matrix(t), shares(t)[:2]), lambda t, x, w: t.nn.functional.linear(x, w)),
    Sample("layer_norm", lambda t: (matrix(t), weights(t), -weights(t)),
           lambda t, x, w, b: t.nn.functional.layer_norm(x, (4,), w, b)),
    functional("layer_norm", lambda t: (matrix(t),), (3, 4)),
    Sample("batch_norm", lambda t: (matrix(t), weights(t), -weights(t)),
           lambda t, x, w, b: t.nn.functional.batch_norm(x, None, None, w, b, True)),
    Sample("batch_norm", lambda t: (matrix(t), weights(t), -weights(t)),
           lambda t, x, w, b: t.nn.functional.batch_norm(
               x, t.tensor([0.1, 0.2, -0.3, 0.0], dtype=t.float64), t.ones(4, dtype=t.float64), w, b)),
    functional("softmax", lambda t: (matrix(t),), dim=1),
    functional("log_softmax", lambda t: (matrix(t),), dim=0),
    functional("softmin", lambda t: (matrix(t),), dim=-1),
    # bends, with the keywords of torch.nn.functional
    *[functional(name, lambda t: (matrix(t),)) for name in (
        "relu", "relu6", "leaky_relu", "elu", "celu", "selu", "gelu", "silu", "mish", "softplus", "softsign",
        "tanhshrink", "hardtanh", "hardswish", "logsigmoid", "hardshrink", "softshrink", "tanh", "sigmoid")],
    functional("hardtanh", lambda t: (matrix(t),), -0.5, 0.7),
    functional("leaky_relu", lambda t: (matrix(t),), 0.3),
    functional("elu", lambda t: (matrix(t),), 1.5),
    functional("gelu", lambda t: (matrix(t),), approximate="tanh"),
    functional("softplus", lambda t: (matrix(t),), 2.0, 1.0),
    functional("threshold", lambda t: (matrix(t),), 0.1, 0.2),
    *[Sample(f"{name} in place", lambda t: (matrix(t),),
             lambda t, x, name=name: getattr(t.nn.functional, name)(x, inplace=True), in_place=True)
      for name in ("relu", "relu6", "leaky_relu", "elu", "celu", "selu", "silu", "mish", "hardtanh")],
]
