-- How long, from where and for what a key works, and where it was used last. Columns without a default: no table is rewritten.
ALTER TABLE api_keys
  ADD COLUMN expires_at timestamptz, -- null: never
  ADD COLUMN last_used_address text,
  ADD COLUMN allowed_addresses text[], -- networks (CIDR); null: everywhere
  ADD COLUMN channels text[]; -- that it may send by; null: all
