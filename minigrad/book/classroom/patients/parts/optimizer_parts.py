"""Optimizers: each part makes `optimizer`, and some a second one or a schedule."""
from __future__ import annotations

from .part import Part

ADAM = {"adam": (0.005, 0.01)}
SGD = {"rate": (0.05, 0.1), "momentum": (0.8, 0.9), "slow": (0.02, 0.03)}

OPTIMIZERS = (
    Part("adam", """
optimizer = torch.optim.Adam(model.parameters(), lr=$adam)    #: optimizer
""", gives="adam one", avoids="norm_of_pixels", slots=ADAM),
    Part("sgd", """
optimizer = torch.optim.SGD(model.parameters(), lr=$rate)    #: optimizer
""", gives="sgd one", slots=SGD),
    Part("momentum", """
optimizer = torch.optim.SGD(model.parameters(), lr=$slow, momentum=$momentum)    #: optimizer
""", gives="momentum one", slots=SGD),
    Part("two_optimizers", """
body = [p for name, p in model.named_parameters() if not name.startswith("head")]
optimizer = torch.optim.SGD(body, lr=$rate)    #: optimizer
for_head = torch.optim.SGD(model.head.parameters(), lr=$rate)    #: for_head
""", gives="sgd two", needs="head", slots=SGD),
)
