import assert from 'node:assert/strict';
import type { SMTPServerOptions } from 'smtp-server';
import { v7 as uuidv7 } from 'uuid';
import { mailCheck } from '../../activities/doctor/checks/servers.js';
import { emailActivities } from '../../activities/emails.js';
import { createProviders } from '../../activities/handoff/providers/index.js';
import { signUp } from '../../models/operations/accounts/sign-up.js';
import { createLogger } from '../../models/process/logger.js';
import { byTest } from '../support/by-test.js';
import { outgoingMail } from '../support/carriers/outgoing.js';
import { type MailServer, startSmtp } from '../support/carriers/smtp.js';
import { testConfig } from '../support/config.js';
import { useDatabase } from '../support/for-each.js';

/** One of the names of this machine for which the program does not know that it is this machine. */
const elsewhere = '127.0.0.2';

describe('a connection to a mail server', () => {
  const test = useDatabase({ checksBooks: true });
  let server: MailServer;
  let seen: { name: string; isSecure: boolean }[];
  beforeEach(() => {
    seen = [];
  });
  afterEach(() => server.close());

  /** A server that knows STARTTLS with a certificate that nobody knows, unless the options forbid it. */
  const serving = async (options: SMTPServerOptions = {}, host?: string) => {
    server = await startSmtp(
      {
        disabledCommands: [],
        onMailFrom: (_address, { hostNameAppearsAs, secure }, callback) => {
          seen.push({ name: hostNameAppearsAs ?? '', isSecure: secure });
          callback();
        },
        ...options,
      },
      host,
    );
  };
  const sendAccountMail = async (url: string, env: NodeJS.ProcessEnv = {}) => {
    const config = testConfig({ SMTP_URL: url, MAIL_FROM: 'Example <hello@sender.example>', ...env });
    const request = { email: `${uuidv7()}@example.test`, password: 'long enough', company_name: 'Example', phone: null, country: null };
    const { mailId } = await signUp({ db: test.db, config }, request, byTest);
    await emailActivities({ db: test.db, config, logger: createLogger('test', 'silent') }).sendMail(mailId);
  };
  const sendMessage = async (url: string, env: NodeJS.ProcessEnv = {}) => {
    const channel = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: url, EMAIL_FROM: 'Example <hello@sender.example>' };
    const config = testConfig({ ...channel, ...env });
    const { accounts } = createProviders(config, { db: test.db, delayMs: 0, onTaken: () => undefined });
    const outcome = await accounts.get('smtp')?.send(outgoingMail(), AbortSignal.timeout(10_000));
    if (outcome?.outcome !== 'accepted') throw new Error(JSON.stringify(outcome));
  };
  it('a server elsewhere without a real MAIL_FROM is a warning of the doctor', async () => {
    await serving({}, elsewhere);
    const found = async (url: string, env: NodeJS.ProcessEnv = {}) => {
      const config = testConfig({ SMTP_URL: `${url}?tls=optional`, ...env });
      const [finding, ...others] = await mailCheck.run({ config, db: test.db, signal: AbortSignal.timeout(10_000) });
      assert.deepEqual(others, []);
      return finding?.state;
    };
    assert.equal(await found(server.url), 'warning');
    assert.equal(await found(server.url, { MAIL_FROM: 'Example <hello@sender.example>' }), 'ok');
    await server.close();
    await serving();
    assert.equal(await found(server.url), 'ok');
  });

  const ways = [
    ['an account mail', sendAccountMail],
    ['a message', sendMessage],
  ] as const;

  for (const [what, send] of ways) {
    it(`${what} names the public host in EHLO, or else the domain of the sender`, async () => {
      await serving();
      const publicUrl = (url: string) => ({ PUBLIC_URL: url, TRUSTED_PROXIES: 'none' });
      await send(server.url, publicUrl('https://api.public.example'));
      for (const url of ['http://localhost:3000', 'http://192.0.2.1', 'http://[2001:db8::1]']) await send(server.url, publicUrl(url));
      await send(`${server.url}?name=mine.example`, publicUrl('https://api.public.example'));
      const own = 'sender.example';
      assert.deepEqual(
        seen.map(({ name }) => name),
        ['api.public.example', own, own, own, 'mine.example'],
      );
    });

    it(`${what} to a mail server on this machine is encrypted without a check of the certificate`, async () => {
      await serving();
      await send(server.url);
      await assert.rejects(send(`${server.url}?tls.rejectUnauthorized=true`), /ESOCKET|ETLS/);
      assert.deepEqual(
        seen.map(({ isSecure }) => isSecure),
        [true],
      );
    });

    it(`${what} to another machine needs a known certificate, unless the address makes TLS optional`, async () => {
      await serving({}, elsewhere);
      await assert.rejects(send(server.url), /ESOCKET|ETLS/);
      assert.deepEqual([seen, server.received], [[], []]);
      for (const query of ['tls=optional', 'requireTLS=false']) await send(`${server.url}?${query}`);
      assert.deepEqual(
        seen.map(({ isSecure }) => isSecure),
        [true, true],
      );
    });

    it(`${what} with a password needs TLS on another machine, unless the address makes it optional`, async () => {
      await serving({ authOptional: false, disabledCommands: ['STARTTLS'] }, elsewhere);
      for (const query of ['', 'requireTLS', 'opportunisticTLS=true', 'ignoreTLS=true'])
        await assert.rejects(send(`${server.url}?${query}`), /ETLS|ECONNECTION|EPROTOCOL/, query);
      for (const query of ['tls=optional', 'requireTLS=false']) await send(`${server.url}?${query}`);
      assert.deepEqual(
        seen.map(({ isSecure }) => isSecure),
        [false, false],
      );
    });

    it(`${what} to this machine needs a known certificate if the address requires TLS`, async () => {
      await serving();
      for (const query of ['requireTLS=true', 'requireTLS']) await assert.rejects(send(`${server.url}?${query}`), /ESOCKET|ETLS/, query);
      assert.deepEqual(seen, []);
    });
  }
});
