-- Why a message went by an account, and what part of its channel that account had at the time.
ALTER TABLE send_attempts
  ADD COLUMN route       text CHECK (route IN ('only', 'share', 'moved', 'probe', 'failover', 'same_account')),
  ADD COLUMN route_share smallint; -- percent

-- How accounts that share a channel are doing, as all workers have seen it. Calls are counted in two windows, the present one and
-- the one before, from the last change of the level on.
CREATE TABLE route_health (
  account       text PRIMARY KEY,
  level         smallint NOT NULL DEFAULT 10 CHECK (level BETWEEN 0 AND 10), -- 0: it gets probes only
  changed_at    timestamptz NOT NULL DEFAULT now(),
  window_at     timestamptz NOT NULL DEFAULT now(),
  calls         integer NOT NULL DEFAULT 0,
  bad           integer NOT NULL DEFAULT 0,
  earlier_calls integer NOT NULL DEFAULT 0,
  earlier_bad   integer NOT NULL DEFAULT 0,
  probe_at      timestamptz,
  probe_pause   double precision -- seconds before the next probe
) WITH (fillfactor = 50);

-- Every change, with its reason.
CREATE TABLE route_changes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account    text NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  from_level smallint NOT NULL,
  to_level   smallint NOT NULL,
  reason     text NOT NULL
);
CREATE INDEX route_changes_account ON route_changes (account, id DESC);
