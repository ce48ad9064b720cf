-- Signs of life of the workers: each thread of a worker process renews its row every few seconds, so that a process that is killed or hangs is
-- seen soon. Temporal's own list of pollers is renewed once a minute while there is nothing to do.
CREATE TABLE worker_beats (
  worker     text NOT NULL, -- host and process
  part       text NOT NULL, -- thread of that process
  beat_at    timestamptz NOT NULL,
  stopped_at timestamptz, -- it ended in good order
  PRIMARY KEY (worker, part)
) WITH (fillfactor = 50);
