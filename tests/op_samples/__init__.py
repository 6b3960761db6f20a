"""The table of operations: what a call computes, differentiates, saves and refuses, recorded from
PyTorch.

    python -m tests.op_samples          record tests/data/op_samples.json.gz again (needs torch==2.13.0)
"""
