"""Results with names: tuples such as ``torch.return_types.max(values=..., indices=...)``."""
from __future__ import annotations

from functools import cache


class NamedResult(tuple):
    """A tuple whose items can be reached by name as well."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self):
        items = ",\n".join([f"{name}={item!r}" for name, item in zip(self.fields, self)])
        return f"torch.return_types.{type(self).__name__}(\n{items})"


def _named(name, *fields):
    """A kind of result: its name and those of its items."""
    members = {field: property(lambda self, i=i: self[i]) for i, field in enumerate(fields)}
    return type(name, (NamedResult,), {"__slots__": (), "fields": fields, "__module__": "torch.return_types",
                                       "n_fields": len(fields), **members})


@cache
def out_form(kind):
    """The kind of result that a function returns which wrote into ``out=``."""
    return _named(f"{kind.__name__}_out", *kind.fields) if issubclass(kind, NamedResult) else kind


max = _named("max", "values", "indices")
min = _named("min", "values", "indices")
median = _named("median", "values", "indices")
nanmedian = _named("nanmedian", "values", "indices")
mode = _named("mode", "values", "indices")
kthvalue = _named("kthvalue", "values", "indices")
sort = _named("sort", "values", "indices")
topk = _named("topk", "values", "indices")
cummax = _named("cummax", "values", "indices")
cummin = _named("cummin", "values", "indices")
aminmax = _named("aminmax", "min", "max")
slogdet = _named("slogdet", "sign", "logabsdet")
linalg_slogdet = _named("linalg_slogdet", "sign", "logabsdet")
qr = _named("linalg_qr", "Q", "R")
eigh = _named("linalg_eigh", "eigenvalues", "eigenvectors")
svd = _named("linalg_svd", "U", "S", "Vh")
