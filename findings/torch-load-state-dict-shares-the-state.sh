#!/bin/sh
# PyTorch 2.13.0: after second.load_state_dict(first.state_dict()), the two optimizers share the
# tensors of their state. A step of the first one changes the momentum of the second one, and for
# Adam its count of steps, although the second one has not stepped.
# The guess was that an optimizer has a state of its own after load_state_dict.
#
# Seen:
#     SGD  momentum of the second optimizer: 1.0, after a step of the first one 5.9
#     Adam steps of the second optimizer: 1.0, after a step of the first one 2.0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch


def pair(optimizer, **settings):
    """Return two parameters and their optimizers; the second has loaded the state of the first."""
    weights = [torch.ones(1, requires_grad=True) for _ in range(2)]
    first, second = [optimizer([weight], lr=0.1, **settings) for weight in weights]
    weights[0].grad = torch.ones(1)
    first.step()
    second.load_state_dict(first.state_dict())
    return weights, first, second


for optimizer, settings, key, before, after in [
    (torch.optim.SGD, {"momentum": 0.9}, "momentum_buffer", 1.0, 5.9),
    (torch.optim.Adam, {}, "step", 1.0, 2.0),
]:
    weights, first, second = pair(optimizer, **settings)
    loaded = second.state[weights[1]][key].item()
    weights[0].grad = torch.full((1,), 5.0)
    first.step()
    now = second.state[weights[1]][key].item()
    print(optimizer.__name__, key, "of the second optimizer:", loaded, "after a step of the first one:", now)
    assert loaded == before
    assert abs(now - after) < 1e-5
END
