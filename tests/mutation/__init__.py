"""Mutants: would the tests notice a wrong sign?

cosmic-ray changes one thing in the sources, runs the fast tests of the engine, and puts it back. It is not
needed for anything else, so it has an environment of its own; the two workers are clones of the last commit:

    python -m venv /tmp/mutants && . /tmp/mutants/bin/activate
    pip install cosmic-ray pytest hypothesis numpy
    cr-http-workers tests/mutation/cosmic-ray.toml .        # in a terminal of its own; Ctrl-C ends it
    cosmic-ray baseline tests/mutation/cosmic-ray.toml      # the tests must pass, or every mutant is "killed"
    cosmic-ray init tests/mutation/cosmic-ray.toml mutants.sqlite
    cr-filter-operators mutants.sqlite tests/mutation/cosmic-ray.toml
    python -m tests.mutation.sample mutants.sqlite          # 300 of all mutants, always the same ones
    cosmic-ray exec tests/mutation/cosmic-ray.toml mutants.sqlite       # can be stopped and continued
    python -m tests.mutation.report mutants.sqlite          # the rate, and the survivors with their reasons
"""
