-- What a workspace allows itself. `spend_day` is the day, UTC, that `spent_today` counts; both stand in the row that every debit writes anyway.
ALTER TABLE workspaces
  ADD COLUMN spend_limit_day   bigint,  -- thousandths of a credit; null: none
  ADD COLUMN spend_day         date,
  ADD COLUMN spent_today       bigint NOT NULL DEFAULT 0,
  ADD COLUMN allowed_countries text[],  -- ISO 3166 alpha-2; null: all
  ADD COLUMN message_days      integer; -- messages are erased after so many days; null: as the installation does

-- Workspaces that an operator has stopped. Every hand-off asks this table, which is almost always empty.
CREATE TABLE suspensions (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
  reason       text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now()
);
