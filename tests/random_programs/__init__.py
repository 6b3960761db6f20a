"""Random autograd programs: a seeded generator writes them, two modules run them, every step is
compared.

A program is a list of statements that use only the name `torch`. Each statement runs on its own; if
it raises an error, the error is noted and the program goes on. After each statement everything a
user could see is written down: values, dtypes, shapes, flags, the graph, versions, gradients,
warnings, and which gradients and states of optimizers share memory (observe.py). The statements
come from two tables, expressions.py and statements.py; differences.py lists what is not compared,
with the reasons.

    python -m tests.random_programs run --seeds 0:200                        # does anything crash or hang?
    python -m tests.random_programs compare --torch-python /path/to/python   # minigrad against real PyTorch
    python -m tests.random_programs show --seeds 17                          # the source of a program
    python -m tests.random_programs record --torch-python /path/to/python    # record tests/data/ again

With `--table training` the programs are about training: a few leaves of one shape, many passes,
optimizers, and writes to `.grad` (training.py).

`--cache DIR` keeps PyTorch's answers, so that the same programs are compared again quickly. The
recorded sample lets `tests/engine/test_random_programs.py` judge minigrad where PyTorch is not
installed.
"""
