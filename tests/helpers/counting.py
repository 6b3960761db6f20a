"""How much work something is, in calls: the same on every machine, however busy, which no clock is."""
import sys


def counted_calls(work):
    """What `work()` returned, and how many calls of Python or C functions it made."""
    count = 0

    def seen(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        result = work()
    finally:
        sys.setprofile(before)
    return result, count
