"""The title and the minutes of each chapter. Generated: python -m minigrad.book write"""

EVENING = {1: 44, 2: 51, 4: 117}  # chapter: its minutes on the evening that README.md begins with
CHAPTERS = {  # number: (title, minutes)
    0: ("Before you start", 20),
    1: ("Nudge it", 63),
    2: ("The grad drawer", 73),
    3: ("What did my line record?", 63),
    4: ("Passing messages backwards", 66),
    5: ("When the answer isn't one number", 68),
    6: ("Why can't I go back twice?", 63),
    7: ("Off the record", 65),
    8: ("Changed behind its back", 62),
    9: ("The step", 60),
    10: ("It learns", 53),
    11: ("Instruments", 64),
    12: ("Hunting a NaN and other liars", 57),
    13: ("Gradients of gradients", 63),
    14: ("Test and attack your engine", 67),
    15: ("Patients", 76),
    16: ("Appendix: from the notes", 44),
}
