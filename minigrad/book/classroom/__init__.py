"""What runs in a notebook: questions, checks, verdicts, labs, patients, and the learner's engine."""
