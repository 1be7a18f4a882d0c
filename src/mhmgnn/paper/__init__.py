"""recipes/*.toml -> results/*.json -> the paper's tables, and what stands beside them."""
