#!/bin/sh
# PyTorch 2.13.0 on the CPU: a gradient penalty works through nn.MultiheadAttention with its default,
# need_weights=True. It raises an error with need_weights=False, which changes only what is returned.
# nn.TransformerEncoderLayer raises the same error in evaluation mode, and in training mode unless
# dropout is positive.
# The guess was that it works in all of these cases.
#
# Seen:
#     attention, need_weights=True         works
#     attention, need_weights=False        derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward ...
#     encoder, dropout=0.1, training mode  works
#     encoder, dropout=0.0, training mode  derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward ...
#     encoder, dropout=0.1, evaluation     derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward ...
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch

torch.manual_seed(0)
attention = torch.nn.MultiheadAttention(4, 1, batch_first=True)


def encoder(dropout, training):
    return torch.nn.TransformerEncoderLayer(4, 1, 8, dropout=dropout, batch_first=True).train(training)


def penalty(network):
    """Return "works" or the error of a second derivative."""
    x = torch.randn(2, 3, 4, requires_grad=True)
    (gradient,) = torch.autograd.grad(network(x).sum(), x, create_graph=True)
    try:
        gradient.square().sum().backward()
    except RuntimeError as error:
        return str(error)
    return "works"


for name, network, works in [
    ("attention, need_weights=True", lambda x: attention(x, x, x)[0], True),
    ("attention, need_weights=False", lambda x: attention(x, x, x, need_weights=False)[0], False),
    ("encoder, dropout=0.1, training mode", encoder(0.1, True), True),
    ("encoder, dropout=0.0, training mode", encoder(0.0, True), False),
    ("encoder, dropout=0.1, evaluation", encoder(0.1, False), False),
]:
    said = penalty(network)
    print(f"{name:36} {said}")
    assert said == "works" if works else "is not implemented" in said
END
