def like(original, wrapper, name):
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__, wrapper.__module__, wrapper.__wrapped__ = original.__doc__, original.__module__, original
    return wrapper
