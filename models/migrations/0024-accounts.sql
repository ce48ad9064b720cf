-- Sessions, passwords, logins, second factors and the end of an account. Columns without a default: no table is rewritten.
ALTER TABLE workspaces
  ADD COLUMN closed_at timestamptz, -- nobody can log in, send or be told any more; what is personal is to be erased
  ADD COLUMN closing_after uuid, -- while its messages are cancelled: how far that has come
  ADD COLUMN closing_left uuid[] NOT NULL DEFAULT '{}', -- and which of those had to be waited for
  ADD COLUMN settled_at timestamptz, -- nothing of a closed workspace is under way any more
  ADD COLUMN totp_secret bytea, -- encrypted; in force once it is confirmed
  ADD COLUMN totp_confirmed_at timestamptz,
  ADD COLUMN totp_step bigint; -- the newest time step whose code was used: it and those before it are void
CREATE INDEX workspaces_closing ON workspaces (closed_at) WHERE closed_at IS NOT NULL AND settled_at IS NULL;

-- Codes for who has lost the second factor, each good once.
CREATE TABLE recovery_codes (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  digest       bytea NOT NULL,
  used_at      timestamptz,
  PRIMARY KEY (workspace_id, digest)
);

-- JWTs that were ended one by one, until they would have expired anyway.
CREATE TABLE revoked_tokens (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX revoked_tokens_expired ON revoked_tokens (expires_at);

-- Tries of a password by e-mail address, known or not, counted before the password is looked at. The address is a keyed hash.
CREATE TABLE login_tries (
  digest        bytea PRIMARY KEY,
  tries         integer NOT NULL,
  blocked_until timestamptz NOT NULL DEFAULT '-infinity',
  last_at       timestamptz NOT NULL,
  spared        bytea, -- hash of the client address that has reset the password
  spared_until  timestamptz
);
CREATE INDEX login_tries_last ON login_tries (last_at);

-- Client addresses that have logged in, as keyed hashes: a login from another one is told by mail.
CREATE TABLE login_addresses (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  digest       bytea NOT NULL,
  last_at      timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, digest)
);
CREATE INDEX login_addresses_last ON login_addresses (last_at);

-- Another e-mail address of a workspace, once its token is used; and mails to another address than the workspace's.
ALTER TABLE mail_tokens ADD COLUMN email text;
CREATE INDEX mail_tokens_email ON mail_tokens (expires_at) WHERE email IS NOT NULL;
ALTER TABLE mail_tokens DROP CONSTRAINT mail_tokens_purpose_check;
ALTER TABLE mail_tokens ADD CONSTRAINT mail_tokens_purpose_check CHECK (purpose IN ('verify', 'reset', 'change_email')) NOT VALID;
ALTER TABLE mails ADD COLUMN recipient text;
