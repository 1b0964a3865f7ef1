"""Meta-evaluation: how far measures of answers agree with people and with one another (S4)."""
