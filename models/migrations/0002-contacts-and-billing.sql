CREATE TABLE contacts (
  id            uuid PRIMARY KEY,
  workspace_id  uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  name          text,
  phone         text,
  email         text,
  tags          text[] NOT NULL DEFAULT '{}',
  custom_fields json NOT NULL DEFAULT '{}',
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT contacts_reachable CHECK (phone IS NOT NULL OR email IS NOT NULL)
);
CREATE INDEX contacts_workspace ON contacts (workspace_id, id DESC);
CREATE UNIQUE INDEX contacts_phone ON contacts (workspace_id, phone) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX contacts_email ON contacts (workspace_id, lower(email)) WHERE email IS NOT NULL;
CREATE INDEX contacts_tags ON contacts USING gin (tags);

-- What is for sale. Prices are in the smallest unit of the currency; a package that was sold is deactivated, never deleted.
CREATE TABLE credit_packages (
  id          uuid PRIMARY KEY,
  name        text NOT NULL,
  credits     bigint NOT NULL CHECK (credits > 0),
  price_cents bigint NOT NULL CHECK (price_cents > 0),
  currency    text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
  is_active   boolean NOT NULL DEFAULT true,
  created_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO credit_packages (id, name, credits, price_cents, currency) VALUES
  ('01980000-0000-7000-8000-000000000001', 'Starter', 100000, 500, 'usd'),
  ('01980000-0000-7000-8000-000000000002', 'Growth', 1000000, 4500, 'usd'),
  ('01980000-0000-7000-8000-000000000003', 'Business', 10000000, 40000, 'usd'),
  ('01980000-0000-7000-8000-000000000004', 'Scale', 100000000, 350000, 'usd');

-- What a workspace ordered, copied from the package at that moment: what the payment provider says is held against this row.
CREATE TABLE credit_orders (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL REFERENCES workspaces,
  package_id      uuid NOT NULL REFERENCES credit_packages,
  package_name    text NOT NULL,
  credits         bigint NOT NULL CHECK (credits > 0),
  amount_cents    bigint NOT NULL CHECK (amount_cents > 0),
  currency        text NOT NULL,
  idempotency_key text,
  request_digest  bytea,
  status          text NOT NULL CHECK (status IN ('opening', 'open', 'pending', 'paid', 'failed', 'expired')),
  leased_until    timestamptz NOT NULL, -- while `opening`: until then one request is asking the provider
  session_id      text UNIQUE,
  checkout_url    text,
  payment_id      text,
  reversed        bigint NOT NULL DEFAULT 0, -- credits that refunds and disputes have taken back, or put into debt
  created_at      timestamptz NOT NULL DEFAULT now(),
  paid_at         timestamptz,
  CHECK (reversed BETWEEN 0 AND credits),
  CHECK ((status = 'opening') = (session_id IS NULL)),
  CHECK ((status = 'paid') = (payment_id IS NOT NULL))
);
CREATE INDEX credit_orders_workspace ON credit_orders (workspace_id, id DESC);
CREATE UNIQUE INDEX credit_orders_idempotency ON credit_orders (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX credit_orders_payment ON credit_orders (payment_id) WHERE payment_id IS NOT NULL;

-- Events of the payment provider, each once, with what became of it.
CREATE TABLE payment_events (
  provider    text NOT NULL,
  event_id    text NOT NULL,
  type        text NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('credited', 'noted', 'repeated', 'reversed', 'ignored', 'unmatched', 'mismatched')),
  raw         text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, event_id)
);

-- What was taken back of a payment, by refund or dispute; it may be known before the payment is.
CREATE TABLE payment_reversals (
  provider     text NOT NULL,
  cause        text NOT NULL, -- id of the charge that is refunded, or of the dispute
  payment_id   text NOT NULL,
  amount_cents bigint NOT NULL CHECK (amount_cents >= 0),
  currency     text NOT NULL,
  is_final     boolean NOT NULL DEFAULT false,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, cause)
);
CREATE INDEX payment_reversals_payment ON payment_reversals (payment_id);

-- Credits that a refund should have taken back and that were spent already: the next credits pay them first.
ALTER TABLE workspaces ADD COLUMN debt bigint NOT NULL DEFAULT 0 CHECK (debt >= 0);

CREATE INDEX mails_workspace ON mails (workspace_id, kind, created_at);
