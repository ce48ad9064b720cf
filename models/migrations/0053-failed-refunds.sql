-- Refunds whose money came back. The events about their charge still contain them until the next refund of the charge.
CREATE TABLE failed_refunds (
  provider     text NOT NULL,
  refund       text NOT NULL, -- its id
  charge       text NOT NULL, -- the cause in payment_reversals
  amount_cents bigint NOT NULL CHECK (amount_cents >= 0),
  failed_at    timestamptz, -- null if unknown
  noted_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, refund)
);
CREATE INDEX failed_refunds_charge ON failed_refunds (provider, charge);

-- When a charge or a dispute was in the noted state; null if unknown. Without a default the table is not rewritten.
ALTER TABLE payment_reversals ADD COLUMN as_of timestamptz;
