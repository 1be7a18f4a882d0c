"""The network: k-sets as motifs, encoders that turn them into vectors, energies, and the loss."""
