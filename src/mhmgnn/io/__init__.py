"""Files in and out: text tables, Parquet, TOML, arrays in folders; everything is written atomically."""
