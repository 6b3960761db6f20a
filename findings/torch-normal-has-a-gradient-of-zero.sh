#!/bin/sh
# PyTorch 2.13.0: torch.normal(mean, std) accepts tensors that require gradients, and its result
# has a grad_fn. The gradients of the mean and of the standard deviation are zeros, without a
# warning. torch.bernoulli and torch.poisson behave alike. torch.linspace(a, b, 3) accepts tensors,
# too, and its result does not require a gradient at all.
# The guess was 1 for the mean and the noise for the standard deviation, as for mean + std * noise.
#
# Seen:
#     normal    NormalBackward3     mean.grad [0.0, 0.0]  std.grad [0.0, 0.0]
#     bernoulli BernoulliBackward0  p.grad [0.0, 0.0]
#     poisson   PoissonBackward0    rate.grad [0.0, 0.0]
#     linspace  requires_grad False
#     by hand   mean.grad [1.0, 1.0]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch

mean = torch.zeros(2, requires_grad=True)
std = torch.ones(2, requires_grad=True)
sample = torch.normal(mean, std)
sample.sum().backward()
print("normal   ", sample.grad_fn.name(), "mean.grad", mean.grad.tolist(), "std.grad", std.grad.tolist())
assert mean.grad.tolist() == std.grad.tolist() == [0.0, 0.0]

for draw in torch.bernoulli, torch.poisson:
    parameter = torch.full((2,), 0.5, requires_grad=True)
    sample = draw(parameter)
    sample.sum().backward()
    print(draw.__name__, sample.grad_fn.name(), parameter.grad.tolist())
    assert parameter.grad.tolist() == [0.0, 0.0]

first, last = [torch.tensor(number, requires_grad=True) for number in (0.0, 1.0)]
points = torch.linspace(first, last, 3)
print("linspace  requires_grad", points.requires_grad)
assert not points.requires_grad

mean.grad = None
(mean + std * torch.randn(2)).sum().backward()
print("by hand   mean.grad", mean.grad.tolist())
assert mean.grad.tolist() == [1.0, 1.0]
END
