"""Patients: training scripts that nobody has seen, each with silent bugs to be found by measuring.

    one = patient(99)
    one                              # the numbered script, and its symptom
    one.run(one.source)              # run it, or your repaired copy, in a process of its own
    one.check([18, 31], 0.2204)      # the two lines that are broken, and what the repaired script prints
    one.hint()                       # three hints for each bug, one at a time
"""
from .patient import Patient, patient

__all__ = ["Patient", "patient"]
