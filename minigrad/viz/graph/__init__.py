"""What autograd recorded, as a plain model in which no tensor is alive."""
