"""Encoders, one file each: a `MotifBatch` in, (b, dim) vectors out; `build.build` finds them by name."""
