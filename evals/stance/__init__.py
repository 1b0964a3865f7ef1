"""Training and measuring the stance model: data, leak filter, pairs, network, ranker."""
