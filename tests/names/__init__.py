"""The public names of PyTorch, by which minigrad tells a name that it lacks from a misspelt one.

    python -m tests.names       record minigrad/more/pytorch_names.txt again (needs torch==2.13.0)
"""
