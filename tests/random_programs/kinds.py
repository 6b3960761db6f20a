"""The table of statement kinds: a name, how often it is asked for, and the function that writes it."""

KINDS = {}       # name -> (weight, function(writer) -> source text or None)


def kind(name, weight):
    """Register a function that writes statements of one kind; None means "not possible just now"."""
    def register(function):
        KINDS[name] = (weight, function)
        return function
    return register
