"""The title and the minutes of each chapter. Generated: python -m minigrad.book write"""

CHAPTERS = {  # number: (title, minutes)
    0: ("Before you start", 14),
    1: ("Nudge it", 46),
    2: ("The grad drawer", 53),
    3: ("What did my line record?", 45),
    4: ("Passing messages backwards", 44),
    5: ("When the answer isn't one number", 48),
    6: ("Why can't I go back twice?", 47),
    7: ("Off the record", 46),
    8: ("Changed behind its back", 45),
    9: ("The step", 42),
    10: ("It learns", 42),
    11: ("Instruments", 47),
    12: ("Hunting a NaN and other liars", 45),
    13: ("Gradients of gradients", 50),
    14: ("Test and attack your engine", 52),
    15: ("Ten broken loops", 37),
    16: ("Appendix: from the notes", 27),
}
