-- An account that answers nothing any more is known by its last calls, however well it was until then.
ALTER TABLE route_health ADD COLUMN bad_in_a_row integer NOT NULL DEFAULT 0;
