"""The chapters, and what they call: questions, exercises, labs, the clinic."""
