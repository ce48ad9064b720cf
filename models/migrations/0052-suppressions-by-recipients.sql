-- What recipients asked for themselves (STOP, a complaint, the link in a mail), apart from the entries of their workspace and of carriers: there
-- may be one of each for a recipient, and neither ends the other. Its rows are rows of `suppressions` too: a statement that names that table
-- reads, changes and deletes the rows of both.
CREATE TABLE suppressions_by_recipients (
  PRIMARY KEY (id),
  UNIQUE (workspace_id, channel, recipient),
  FOREIGN KEY (workspace_id) REFERENCES workspaces ON DELETE CASCADE
) INHERITS (suppressions);
CREATE INDEX suppressions_by_recipients_workspace ON suppressions_by_recipients (workspace_id, id DESC);

-- Processes of the former version insert into `suppressions`, where such an entry would replace the one of the workspace. Their role gets its rights
-- on the new table only after the last migration, so the function runs as the owner of the tables.
CREATE FUNCTION keep_apart_suppression_by_recipient() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO suppressions_by_recipients VALUES (NEW.*) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER suppression_by_recipient BEFORE INSERT ON suppressions FOR EACH ROW
  WHEN (NEW.reason IN ('opt_out', 'complaint') AND NEW.source <> 'api')
  EXECUTE FUNCTION keep_apart_suppression_by_recipient();
