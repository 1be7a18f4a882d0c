"""A graph -> a trained model: batches, the objective, the one loop."""
