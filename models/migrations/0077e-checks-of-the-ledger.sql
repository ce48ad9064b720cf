-- Adjustments have either sign.
ALTER TABLE credit_entries ADD CONSTRAINT credit_entries_sign_check CHECK (CASE kind
  WHEN 'debit' THEN amount < 0
  WHEN 'adjustment' THEN true
  ELSE amount > 0 END) NOT VALID;
