-- What a step of a fallback chain took over from the charge of an earlier message that was refunded: its price had been discounted by that
-- charge. The refund is smaller by this amount, and `messages.cost` of the step is greater by it. One row for each pair, because a message is
-- refunded once.
CREATE TABLE charge_transfers (
  from_id    uuid NOT NULL REFERENCES messages ON DELETE CASCADE, -- the refunded message
  to_id      uuid NOT NULL REFERENCES messages ON DELETE CASCADE, -- the later step
  amount     bigint NOT NULL CHECK (amount > 0), -- thousandths of a credit
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (from_id, to_id)
);
CREATE INDEX charge_transfers_to ON charge_transfers (to_id);

-- The charge of a message changes without its status. The trigger of migration 0038 notes changes of the status only.
CREATE FUNCTION note_charge_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_changes (workspace_id, channel, at, messages, delivered, failed, credits)
  VALUES (NEW.workspace_id, NEW.channel, NEW.created_at, 0, 0, 0, NEW.credits_used - OLD.credits_used);
  RETURN NULL;
END $$;
CREATE TRIGGER message_charge_changed AFTER UPDATE OF credits_used ON messages FOR EACH ROW
  WHEN (OLD.status = NEW.status AND OLD.credits_used <> NEW.credits_used)
  EXECUTE FUNCTION note_charge_change();
