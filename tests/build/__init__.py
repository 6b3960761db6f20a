"""What a teacher hands out, and the reader."""
