-- The sites that may show the portal of a webhook in a frame; null: none.
ALTER TABLE webhooks ADD COLUMN frame_ancestors text[];
