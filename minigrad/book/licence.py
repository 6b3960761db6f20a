"""The line that says who wrote the texts, and what others may do with them (LICENSE-texts)."""

CREDIT = "minigrad contributors, CC BY 4.0"
ADDRESS = "https://creativecommons.org/licenses/by/4.0/"
