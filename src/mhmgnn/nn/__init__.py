"""Networks: motifs, encoders that turn them into vectors, energies, losses.

`motifs.batch.gather` turns k-sets into a `MotifBatch`, `encoders.build.build` makes an encoder by name,
`energy.new_network` the network of a run, and `losses` holds noise-contrastive estimation.
"""
