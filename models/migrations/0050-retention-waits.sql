-- Events whose bodies, and deliveries whose attempts, could not be deleted at their age, because they were still to be sent. They are looked at
-- again.
CREATE TABLE retention_waits (
  kind    text NOT NULL CHECK (kind IN ('bodies', 'attempts')),
  id      uuid NOT NULL,
  look_at timestamptz NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX retention_waits_look ON retention_waits (kind, look_at, id);
-- Earlier sweeps have passed such rows. They begin anew.
DELETE FROM retention_sweeps;
