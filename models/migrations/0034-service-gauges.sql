-- One row: what the API processes show of the whole service as metrics. One of them reads it anew when it is old; the others show it too.
CREATE TABLE service_gauges (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  claimed_at timestamptz NOT NULL, -- by the process that reads it anew
  read_at    timestamptz,
  found      json
);
