"""recipes/*.toml -> results/TASK/CELL.jsonl -> the paper's tables, and what stands beside them."""
