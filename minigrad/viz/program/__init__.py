"""What the program around a tensor tells: the names of variables, lines of text, where a history ended."""
