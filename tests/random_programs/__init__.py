"""Random autograd programs: a seeded generator writes them, two modules run them, every step is compared.

A program is a list of statements that use only the name `torch`.  Each statement is run on its own; if it
raises, the error is noted and the program goes on.  After each statement everything a user could see is
written down: values, dtypes, shapes, flags, the graph, versions, gradients, warnings (observe.py).

    python -m tests.random_programs run --module minigrad --seeds 0:200      # does anything crash or hang?
    python -m tests.random_programs compare --torch-python /path/to/python   # minigrad against real PyTorch
    python -m tests.random_programs show --seeds 17                          # the source of a program
    python -m tests.random_programs record --torch-python /path/to/python    # renew tests/data/

The recorded sample lets `tests/test_random_programs.py` judge minigrad where PyTorch is not installed.
"""
