"""Pictures, explanations and the player."""
