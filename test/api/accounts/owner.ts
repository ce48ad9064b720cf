/** An account that was signed up, with what its owner does over HTTP. */
import { mailToken } from '../../../models/rules/accounts/mail-token.js';
import { rows } from '../../support/database.js';
import type { Answer, CallOptions, TestApp } from '../start-app.js';

export const password = 'correct horse';

export interface Owner {
  email: string;
  workspaceId: string;
  jwt: string;
  /** With the JWT of the signup's login, from this address. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  logIn(secret?: string, more?: object, address?: string): Promise<Answer>;
  /** Sets another password by the link of a mail, from this address. */
  reset(secret: string, address: string): Promise<Answer>;
  /** Kinds of the mails so far, oldest first. */
  mails(): Promise<string[]>;
  /** The token of the newest mail of this kind. */
  token(kind: string): Promise<string>;
}

let number = 0;

/** Signs up and logs in. The app must trust 127.0.0.1 where addresses are given. */
export async function owner(app: TestApp, { verified = true } = {}): Promise<Owner> {
  number += 1;
  const email = `owner${number}@example.com`;
  const from = (address: string): CallOptions => ({ headers: { 'X-Forwarded-For': address } });
  const logIn = (secret = password, more = {}, address = '198.51.100.1') =>
    app.call('POST', '/api/v1/auth/login', { ...from(address), body: { email, password: secret, ...more } });
  const signedUp = await app.call('POST', '/api/v1/auth/signup', {
    ...from('198.51.100.1'),
    body: { email, password, company_name: 'Acme' },
  });
  const workspaceId: string = signedUp.body.data.workspace.id;
  if (verified) await rows(app.deps.db, 'UPDATE workspaces SET email_verified = true WHERE id = $1', [workspaceId]);
  const { body } = await logIn();
  const jwt: string = body.data.token;
  const mailsOf = () =>
    rows<{ kind: string; token_id: string | null }>(
      app.deps.db,
      'SELECT kind, token_id FROM mails WHERE workspace_id = $1 ORDER BY created_at, id',
      [workspaceId],
    );
  const token = async (kind: string) =>
    mailToken(app.deps.config.secretKey, (await mailsOf()).filter((mail) => mail.kind === kind).at(-1)?.token_id ?? '');
  return {
    email,
    workspaceId,
    jwt,
    logIn,
    async reset(secret, address) {
      await app.call('POST', '/api/v1/auth/forgot-password', { ...from(address), body: { email } });
      const given = { token: await token('reset_password'), password: secret };
      return app.call('POST', '/api/v1/auth/reset-password', { ...from(address), body: given });
    },
    call: (method, path, given, options = {}) =>
      app.call(method, `/api/v1${path}`, { jwt, ...(given === undefined ? {} : { body: given }), ...options }),
    mails: async () => (await mailsOf()).map(({ kind }) => kind),
    token,
  };
}
