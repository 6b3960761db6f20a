"""Forward-mode differentiation, which minigrad does not have: every name here says so when it is called.

The module is there so that programs which import it can run up to that point.
"""
from __future__ import annotations

_current_level = -1


def refused(*args, **names):
    """Forward mode.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("minigrad has no forward-mode differentiation; autograd.functional.jvp gives "
                              "the same by going backward twice")


dual_level = enter_dual_level = exit_dual_level = make_dual = unpack_dual = refused
