-- The refunds of a charge, one row for each event about one. `payment_reversals` keeps the newest sum for processes of the former version; what
-- they note there is copied before a later event replaces it.
CREATE TABLE charge_refunds (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider     text NOT NULL,
  charge       text NOT NULL, -- the cause in payment_reversals
  before_cents bigint, -- the sum of the charge's refunds before this one; null if unknown
  after_cents  bigint NOT NULL CHECK (after_cents >= 0),
  as_of        timestamptz, -- null if unknown
  noted_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX charge_refunds_charge ON charge_refunds (provider, charge);
