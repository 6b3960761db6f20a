"""`explain()`: why an error of autograd was raised."""
