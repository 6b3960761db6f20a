"""The mutants that the tests let live: {(file, the line as it is in the mutant): why it lives}."""

# Nothing that a program can see differs.
EQUIVALENT = {
}

# Something differs, and no test looks at it.
MISSED = {
}
