# misspelt and missing keywords
import torch


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

attempt(lambda: torch.tensor([1.], require_grad=True))
attempt(lambda: torch.tensor())
attempt(lambda: torch.tensor(1, 2, requires_grad=True))
attempt(lambda: torch.zeros(2, require_grad=True))
attempt(lambda: torch.zeros_like(torch.ones(2), require_grad=True))
attempt(lambda: torch.nn.Linear(2, 1, bais=False))
attempt(lambda: torch.nn.Linear(2))
attempt(lambda: torch.optim.SGD([torch.ones(1)], lr=1, momentu=1))
attempt(lambda: torch.nn.functional.cross_entropy(torch.ones(1, 2), torch.tensor([1]), wieght=None))
