"""Files in and out: text tables, Parquet, TOML; files and folders written whole or not at all."""
