"""Losses: each part defines `loss_of(x, y)`, which uses `model`."""
from __future__ import annotations

from .part import Part

LOSSES = (
    Part("cross_entropy", """
def loss_of(x, y):
    return F.cross_entropy(model(x), y)    #: cross_entropy scores
""", needs="classes", gives="cross_entropy"),
    Part("criterion", """
criterion = nn.CrossEntropyLoss()

def loss_of(x, y):
    scores = model(x)    #: scores
    return criterion(scores, y)    #: criterion
""", needs="classes", gives="cross_entropy"),
    Part("log_probabilities", """
def loss_of(x, y):
    log_p = F.log_softmax(model(x), dim=1)    #: log_p
    return F.nll_loss(log_p, y)    #: nll
""", needs="classes", gives="nll"),
    Part("by_hand", """
def loss_of(x, y):
    scores = model(x)    #: by_hand_scores
    right = scores[torch.arange(len(y)), y]    #: right
    return (scores.logsumexp(dim=1) - right).mean()    #: by_hand reduced
""", needs="classes", gives="nll by_hand"),
    Part("binary", """
def loss_of(x, y):
    score = model(x)[:, 0]    #: score
    return F.binary_cross_entropy_with_logits(score, y.float())    #: bce
""", needs="binary", gives="one_score"),
    Part("mean_square", """
def loss_of(x, y):
    error = model(x)$column - y    #: error
    return (error ** 2).mean()    #: reduced
""", needs="numbers", gives="mse", slots={"column": ("[:, 0]", ".squeeze(1)", ".flatten()")}),
    Part("mse_loss", """
def loss_of(x, y):
    predicted = model(x)$column    #: predicted
    return F.mse_loss(predicted, y)    #: mse
""", needs="numbers", gives="mse", slots={"column": ("[:, 0]", ".squeeze(1)", ".view(-1)")}),
)
