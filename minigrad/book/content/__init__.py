"""What a teacher edits: questions, exercises, errors of the clinic, beliefs, words, and the data."""
