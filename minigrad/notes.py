"""Notes on errors: whoever can explain an error of autograd is shown it before it is raised.

The list is empty unless somebody, such as minigrad.viz, puts a function into it; an error then may get a note
(`add_note`), which tracebacks show below the message.  Type and text of the error stay what they are.
"""
from __future__ import annotations

explainers = []


def noted(error):
    """The error, after everybody who explains errors has seen it."""
    for explain in explainers:
        explain(error)
    return error
