"""The title and the minutes of each chapter. Generated: python -m minigrad.book write"""

CHAPTERS = {  # number: (title, minutes)
    0: ("Before you start", 15),
    1: ("Nudge it", 47),
    2: ("The grad drawer", 55),
    3: ("What did my line record?", 46),
    4: ("Passing messages backwards", 42),
    5: ("When the answer isn't one number", 49),
    6: ("Why can't I go back twice?", 47),
    7: ("Off the record", 48),
    8: ("Changed behind its back", 46),
    9: ("The step", 42),
    10: ("It learns", 41),
    11: ("Instruments", 47),
    12: ("Hunting a NaN and other liars", 45),
    13: ("Gradients of gradients", 47),
    14: ("Test and attack your engine", 51),
    15: ("Patients", 56),
    16: ("Appendix: from the notes", 31),
}
