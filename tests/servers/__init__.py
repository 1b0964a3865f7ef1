"""Real local servers that the tests talk to."""
