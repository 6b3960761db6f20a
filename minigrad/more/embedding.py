"""A layer that looks up rows of numbers in a table."""
from ..creation import empty
from ..nn import functional, init
from ..nn.modules.module import Module
from ..nn.parameter import Parameter


class Embedding(Module):
    """A table of `num_embeddings` rows, each with `embedding_dim` numbers.

        rows = nn.Embedding(10, 3)
        rows(torch.tensor([[1, 2, 4]])).shape           # torch.Size([1, 3, 3])

    The numbers come from the standard normal distribution.  The row `padding_idx` holds
    zeros and takes no gradient.
    """
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None,
                 dtype=None):
        super().__init__()
        if padding_idx is not None:
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        table = empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
        self.weight = Parameter(table)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the table anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input):
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        sizes = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is None:
            return sizes
        return f"{sizes}, padding_idx={self.padding_idx}"
