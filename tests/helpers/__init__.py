"""What the tests share: none of these modules contains a test."""
