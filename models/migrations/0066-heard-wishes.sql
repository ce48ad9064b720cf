-- The wishes of recipients that callbacks of carriers have stated, so that a repeated callback changes nothing, and an old wish does not end a
-- newer one. Both names are digests, so nothing here names a person.
CREATE TABLE heard_wishes (
  provider  text NOT NULL,
  event     text NOT NULL, -- what the carrier wrote
  person    text, -- who wished it; null for a complaint, which START does not end
  is_start  boolean NOT NULL,
  wished_at timestamptz NOT NULL,
  heard_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, event)
);
CREATE INDEX heard_wishes_person ON heard_wishes (provider, person, wished_at);
CREATE INDEX heard_wishes_heard ON heard_wishes (heard_at);
