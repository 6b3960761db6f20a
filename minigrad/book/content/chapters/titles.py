"""The title and the minutes of each chapter. Generated: python -m minigrad.book write"""

EVENING = {1: 19, 2: 25, 4: 65}  # chapter: its minutes on the evening that README.md begins with
CHAPTERS = {  # number: (title, minutes)
    0: ("Before you start", 44),
    1: ("Nudge it", 31),
    2: ("The grad drawer", 45),
    3: ("What did my line record?", 45),
    4: ("Passing messages backwards", 32),
    5: ("When the answer isn't one number", 43),
    6: ("Why can't I go back twice?", 45),
    7: ("Off the record", 45),
    8: ("Changed behind its back", 44),
    9: ("The step", 43),
    10: ("It learns", 45),
    11: ("Instruments", 45),
    12: ("Hunting a NaN and silent bugs", 45),
    13: ("Gradients of gradients", 45),
    14: ("Test and attack your engine", 45),
    15: ("Patients", 42),
    16: ("Appendix: programs from before 2018", 44),
}
