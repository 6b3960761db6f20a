"""Going through the parameters, buffers and modules inside a module, each once."""


class HasMembers:
    """The part of `Module` that finds what belongs to it."""
    def parameters(self, recurse=True):
        """Yield all parameters; those of the children are included."""
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield all parameters with their names, such as ``0.weight``.

        remove_duplicate: a parameter with several names is yielded once.
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Yield all buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield all buffers with their names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def _named_members(self, kind, prefix, recurse, remove_duplicate):
        modules = [(prefix, self)]
        if recurse:
            modules = self.named_modules(None, prefix, remove_duplicate)
        seen = {id(None)}
        for path, module in modules:
            for name, value in getattr(module, kind).items():
                if id(value) not in seen:
                    if remove_duplicate:
                        seen.add(id(value))
                    yield join(path, name), value

    def children(self):
        """Yield the direct children."""
        return (module for _, module in self.named_children())

    def named_children(self):
        """Yield the direct children with their names."""
        seen = {None}
        for name, module in self._modules.items():
            if module not in seen:
                seen.add(module)
                yield name, module

    def modules(self):
        """Yield this module, its children, their children and so on."""
        return (module for _, module in self.named_modules())

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Yield this module, under the empty name, and all inside, with their names."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = join(prefix, name)
                yield from module.named_modules(seen, path, remove_duplicate)


def join(path, name):
    """Return the name of a part of a part: "0.weight"."""
    return f"{path}.{name}" if path else name
