"""PyTorch's words for what NumPy refuses: shapes that do not go together."""
from __future__ import annotations

from functools import wraps

from .dtypes import short_name


def translated(error, operation, args):
    """The error to raise in place of a ValueError that NumPy raised inside an operation."""
    shapes = [tuple(a._array.shape) for a in args if hasattr(a, "_array")]
    if "broadcast" in str(error) and len(shapes) >= 2:
        return broadcast_error(shapes[0], shapes[1]) or RuntimeError(str(error))
    return RuntimeError(str(error))


def broadcast_error(a, b):
    """Which dimension of two shapes does not fit; None if all do."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at "
                "non-singleton "
                f"dimension {max(len(a), len(b)) - back}")
    return None


def dim_range(dim, ndim):
    """Check a dimension number and make it non-negative; a 0-d tensor counts as having one dimension."""
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but "
                         f"got {dim})")
    return dim % count


def not_a_tensor(operation, position, value):
    """The error of an argument that had to be a tensor."""
    name = operation.parameters[position]
    return TypeError(f"{operation.name.strip('_')}(): argument '{'input' if name == 'self' else name}' "
                     "(position "
                     f"{position + 1}) must be Tensor, not {type_name(value)}")


def type_name(value):
    """How PyTorch's messages write the type of an argument."""
    if isinstance(value, (list, tuple)) and value:
        return f"{type(value).__name__} of {type(value[0]).__name__}" if isinstance(value, list) else "tuple"
    return type(value).__module__ + "." + type(value).__name__ if type(value).__module__ == "numpy" else \
        type(value).__name__


# --- arguments of the wrong type ----------------------------------------------------------------------------

class ArgumentError(TypeError):
    """An argument has the wrong type.  Methods and functions count arguments differently: see
    ``counts_arguments``."""

    def __init__(self, name, argument, position, value, expected="Tensor"):
        super().__init__(name, argument, position, value, expected)
        self.in_function = False

    def __str__(self):
        name, argument, position, value, expected = self.args
        return (f"{name}(): argument '{argument}' (position {position + self.in_function}) must be "
                f"{expected}, not "
                f"{type_name(value)}")


class InvalidCombination(TypeError):
    """No form of a function takes these arguments."""

    def __init__(self, name, signatures, in_function, self_argument, arguments):
        super().__init__(name, signatures, in_function, self_argument, arguments)
        self.in_function = False

    def __str__(self):
        name, signatures, in_function, self_argument, arguments = self.args
        given = [type_name(a) for a in arguments]
        why = ""
        if self.in_function:
            given.insert(0, type_name(self_argument))
            signatures = in_function or [f"Tensor input, {line}" for line in signatures]
            signatures = [f"{line}, *, Tensor out = None" for line in signatures]
        elif arguments:
            wrong = ", ".join([f"!{g}!" for g in given])
            why = f"      didn't match because some of the arguments have invalid types: ({wrong})\n"
        forms = "".join([f" * ({line})\n{why}" for line in signatures])
        return (f"{name}() received an invalid combination of arguments - got ({', '.join(given)}), but "
                "expected one "
                f"of:\n{forms}")


def argument_must_be(name, argument, position, value, expected="Tensor"):
    """The error for the argument at `position`, where a method's self is 0 and its first argument 1."""
    return ArgumentError(name, argument, position, value, expected)


def invalid_combination(name, signatures, self, *arguments, in_function=None):
    """The error of a method with several forms, `signatures`, none of which takes `arguments`.

    `in_function`: the forms of the function, if they are not those of the method with the tensor before.
    """
    return InvalidCombination(name, signatures, in_function, self, arguments)


def counts_arguments(method):
    """Mark a method whose function ``torch.<name>`` says other positions in its errors, and takes
    ``input=``."""
    method.counts_arguments = True
    return method


def function_form(method):
    """The function ``torch.<name>`` of a method: the tensor is its first argument, and counts as one."""
    if not getattr(method, "counts_arguments", False):
        return method

    @wraps(method)
    def function(*args, **kwargs):
        try:
            if "input" in kwargs:
                args = (kwargs.pop("input"), *args)
            return method(*args, **kwargs)
        except (ArgumentError, InvalidCombination) as error:
            error.in_function = True
            raise
    return function


def not_implemented_for(kernel, dtype):
    """The error of an operation that the dtype, a NumPy one, does not have."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{short_name(dtype)}\'')


def typename(value):
    """How PyTorch's modules and optimizers write what they were given: ``torch.FloatTensor``, ``int``,
    ``dict``."""
    if hasattr(value, "_array"):
        return value.dtype.tensor_type
    named = value if hasattr(value, "__qualname__") else type(value)
    module = getattr(value, "__module__", None)
    if module in (None, "builtins", "__builtin__"):
        return named.__qualname__
    return f"{public_module(module)}.{named.__qualname__}"


def public_module(module):
    """The name under which PyTorch has what stands in one of this package's modules."""
    package = __name__.partition(".")[0]
    return "torch" + module.removeprefix(package) if module.partition(".")[0] == package else module
