-- For the watcher alone, who says the condition word for word. As `status IN (…)` it was also chosen for one message's status, and an
-- index of what is open is full of what has been until the next vacuum.
DROP INDEX messages_undecided;
CREATE INDEX messages_undecided ON messages (id) WHERE (status IN ('accepting', 'queued')) IS TRUE;
