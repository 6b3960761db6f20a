"""Bugs of numbers: dtypes, rounding, overflow."""
from __future__ import annotations

from ..bug import Bug
from ..script import swap

NUMBER_BUGS = (
    Bug("bytes_wrap", "numbers",
        "The pixels are bytes without a sign, so 8 is subtracted modulo 256: a white pixel becomes 248.",
        ((swap("pixels", r"\(scans\.float\(\) - 8\) / 8", "(scans - 8).float() / 8"),),),
        ("Print the smallest and the largest input.",
         "The inputs should lie between -1 and 1.",
         "What is 3 - 8 as a byte?"),
        fix="Convert to float before you subtract.", price="none", measurements="picture"),
    Bug("whole_division", "numbers",
        "`//` rounds down, so every pixel that isn't black becomes 0.",
        ((swap("pixels", r"scans\[in_order\] / 16", "scans[in_order] // 16"),
          swap("test_pixels", r"scans\[in_order\] / 16", "scans[in_order] // 16")),),
        ("Print some inputs, or draw one.",
         "Only two values occur.",
         "Which operator divides the pixels?"),
        fix="Write `/`.", price="none", measurements="picture"),
    Bug("stamps_rounded", "numbers",
        "float32 can't tell the time stamps apart: near 1.7e9 its numbers are 128 apart.",
        ((swap("clock", r"\(stamps - stamps\[0\]\)\.float\(\)", "(stamps.float() - stamps[0])"),),),
        ("Print the first ten values of `clock`.",
         "Several readings in a row have the same time.",
         "How many digits does a float32 have, and how many do the stamps need?"),
        fix="Subtract the first stamp while the stamps are whole numbers.", price="none",
        measurements="picture"),
)
