"""`why()`: why a gradient is None, zero, NaN or doubled, though no error was raised."""
