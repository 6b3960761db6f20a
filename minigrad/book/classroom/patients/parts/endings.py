"""Endings: each part measures the model on the test set, and prints one number in the last line."""
from __future__ import annotations

from .part import Part

ENDINGS = (
    Part("loss", """
model.eval()    #: eval
with torch.no_grad():
    print(round(loss_of(test_x, test_y).item(), 4))    #: number
""", gives="loss"),
    Part("short_loss", """
with torch.no_grad():
    test_loss = loss_of(test_x, test_y)    #: number
print(round(test_loss.item(), 4))
""", gives="loss", avoids="modes"),
    Part("function", """
@torch.no_grad()
def evaluate():
    model.eval()    #: eval
    return loss_of(test_x, test_y).item()    #: number

print(round(evaluate(), 4))
""", gives="loss"),
    Part("chunks", """
model.eval()    #: eval
total = 0.
with torch.no_grad():
    for inputs, targets in zip(test_x.split(10), test_y.split(10)):
        total += loss_of(inputs, targets).item() * len(targets)    #: number
print(round(total / len(test_y), 4))
""", gives="loss chunks", avoids="small"),
    Part("accuracy", """
model.eval()    #: eval
with torch.no_grad():
    guesses = model(test_x).argmax(dim=1)    #: guesses
print(round((guesses == test_y).float().mean().item(), 4))    #: number
""", gives="accuracy", needs="classes", avoids="one_score"),
    Part("accuracy_max", """
model.eval()    #: eval
with torch.no_grad():
    best = model(test_x).max(dim=1)
hits = best[1] == test_y    #: guesses
print(round(hits.float().mean().item(), 4))    #: number
""", gives="accuracy", needs="classes", avoids="one_score"),
    Part("accuracy_count", """
model.eval()    #: eval
right = 0
with torch.no_grad():
    for inputs, labels in zip(test_x.split(50), test_y.split(50)):
        right += (model(inputs).argmax(dim=1) == labels).sum()    #: guesses
print(round((right / len(test_y)).item(), 4))    #: number
""", gives="accuracy chunks", needs="classes", avoids="one_score"),
)
