-- The public halves of the ed25519 key pairs, `whpk_…`, for whoever verifies; null where none is wanted.
ALTER TABLE webhooks ADD COLUMN public_key text, ADD COLUMN old_public_key text;
