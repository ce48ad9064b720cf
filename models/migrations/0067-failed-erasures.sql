-- When the erasure failed last. Those that fail in every run would otherwise take the turns of their workspace.
ALTER TABLE erasures ADD COLUMN failed_at timestamptz;
