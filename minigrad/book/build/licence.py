"""Who wrote the texts, and what others may do with them; LICENSE-texts and LICENSE say it in full."""

TEXTS = "CC BY 4.0"
CREDIT = f"minigrad contributors, {TEXTS}"
ADDRESS = "https://creativecommons.org/licenses/by/4.0/"
OF_NOTEBOOKS = f"texts {TEXTS}, code MIT"
