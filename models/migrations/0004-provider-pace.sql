-- How fast each provider is called, by all workers together: one row a provider, made when it is first needed.
CREATE TABLE provider_pace (
  provider     text PRIMARY KEY,
  next_slot_at timestamptz NOT NULL DEFAULT now(), -- until then its time is given away
  held_until   timestamptz NOT NULL DEFAULT now()  -- it has asked to be left alone until then
) WITH (fillfactor = 50);
