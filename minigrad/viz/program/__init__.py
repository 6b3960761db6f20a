"""What the program around a tensor tells: its variables, its text, and its cuts.

Each question has one module that answers it:

* `parsed` and `statements`: what is in the text, and where is recording switched off?
* `frames` and `names`: which variable holds a tensor?
* `source`: what was a variable assigned?
* `ran`: which lines have run?
* `entered` and `called`: which functions does a call run, and what have these run?
* `trail`: what was a value computed from?
* `cut_words` and `cuts`: where did a value lose its history?
* `operations` and `functions`: which part of the text recorded an operation?
* `training`: which optimizers, passes, steps and zeroings concern a tensor?
* `lines`, `places` and `showing`: which line is that, in words?
"""
