#!/bin/sh
# PyTorch 2.13.0: a torch.autograd.Function whose backward computes with NumPy has a right first
# derivative. torch.autograd.functional.jvp returns 0 for it, without an error, where vjp returns the
# right 6: this jvp differentiates the backward function, whose graph NumPy has cut. hessian returns 0,
# too; its strict=True raises an error, and so does the jvp of torch.func.
# The guess was that jvp raises an error or returns 6.
#
# Seen, for x * x at 3:
#     functional.vjp      6.0
#     functional.jvp      0.0
#     functional.hessian  0.0
#     hessian, strict     While computing the hessian, found that the jacobian of the user-provided ...
#     torch.func.jvp      In order to use an autograd.Function with functorch transforms ...
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch
from torch.autograd import functional


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return torch.from_numpy(gradient.detach().numpy() * 2 * x.detach().numpy())


def error_of(function, *arguments, **settings):
    try:
        function(*arguments, **settings)
    except RuntimeError as error:
        return str(error)
    raise AssertionError("no error")


def total(x):
    return Square.apply(x).sum()


x, one = torch.tensor([3.0]), torch.ones(1)
backward = functional.vjp(Square.apply, x, one)[1].item()
forward = functional.jvp(Square.apply, x, one)[1].item()
hessian = functional.hessian(total, x).item()
print("functional.vjp     ", backward)
print("functional.jvp     ", forward)
print("functional.hessian ", hessian)
assert (backward, forward, hessian) == (6.0, 0.0, 0.0)
strict = error_of(functional.hessian, total, x, strict=True)
newer = error_of(torch.func.jvp, Square.apply, (x,), (one,))
print("hessian, strict    ", strict[:80], "...")
print("torch.func.jvp     ", newer[:80], "...")
assert "independent of the input" in strict
assert "setup_context" in newer
END
