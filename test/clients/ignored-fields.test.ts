/** What the TypeScript client does with the fields that the service has ignored. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Tidings } from '../../clients/typescript/client/index.js';
import { useApi } from '../api/use-api.js';

const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;
const unknown = { ...message, 'priority, 1': 7, extra: 'x' };

/** The warnings on the console while something runs. */
async function warningsOf(run: () => Promise<void>): Promise<string[]> {
  const warned: string[] = [];
  const { mock: warn } = mock.method(console, 'warn', (text: unknown) => void warned.push(String(text)));
  try {
    await run();
  } finally {
    warn.restore();
  }
  return warned;
}

describe('ignored fields in the TypeScript client', () => {
  const app = useApi({ checksBooks: true });
  let key: string;
  before(async () => {
    ({ key } = await app.account());
  });
  const client = (onIgnoredFields?: () => unknown) =>
    new Tidings({ apiKey: key, baseUrl: app.url, ...(onIgnoredFields === undefined ? {} : { onIgnoredFields }) });

  it('the TypeScript client warns once of fields that the service has ignored', async () => {
    const tidings = client();
    const warned = await warningsOf(async () => {
      for (let count = 0; count < 2; count += 1) await tidings.messages.send(unknown);
      await tidings.messages.send(message);
    });
    assert.deepEqual(warned, ['Tidings ignored fields of POST /messages/send: priority, 1, extra']);
  });

  it('the TypeScript client warns once of the same fields of different objects and recipients', async () => {
    const tidings = client();
    const warned = await warningsOf(async () => {
      for (let count = 0; count < 2; count += 1) {
        const { id } = await tidings.contacts.create({ email: `p${count}@example.com` });
        const changes = { name: 'Ada', colour: 'red' };
        await tidings.contacts.update(id, changes);
        const recipients = Array.from({ length: 2 + count }, (_, index) => ({ to: `+1555123456${index}`, labels: [] }));
        const bulk = { content: { text: 'Hello' }, channel: 'sms', recipients } as unknown as Parameters<typeof tidings.batches.send>[0];
        await tidings.batches.send(bulk);
      }
    });
    assert.deepEqual(warned, [
      'Tidings ignored fields of PUT /contacts/{id}: colour',
      'Tidings ignored fields of POST /messages/bulk: recipients[].labels',
    ]);
  });

  it('the TypeScript client gives ignored fields to its option instead', async () => {
    const seen: unknown[] = [];
    const own = client((...given: unknown[]) => void seen.push(given));
    const bulk = { content: { text: 'Hello' }, recipients: [message.to], fallback: [] };
    await own.batches.send({ ...bulk, channel: 'sms' });
    const labels = { to: message.to, labels: [] } as unknown as string;
    await own.batches.send({ content: bulk.content, channel: 'sms', recipients: [labels] });
    assert.deepEqual(seen, [
      [['fallback'], 'POST /messages/bulk'],
      [['recipients[0].labels'], 'POST /messages/bulk'],
    ]);
  });

  it('a send whose ignored fields the option refuses returns its message, and the console shows both', async () => {
    const refusals = [
      () => {
        throw new Error('no log');
      },
      () => Promise.reject(new Error('no log')),
    ];
    for (const refuse of refusals) {
      const warned = await warningsOf(async () => assert.match((await client(refuse).messages.send(unknown)).id, /^[\w-]{36}$/));
      assert.deepEqual(warned, ['onIgnoredFields failed: no log. Tidings ignored fields of POST /messages/send: priority, 1, extra']);
    }
  });

  it('a send returns its message where the console throws', async () => {
    const { mock: warn } = mock.method(console, 'warn', () => {
      throw new Error('no console');
    });
    try {
      assert.match((await client().messages.send(unknown)).id, /^[\w-]{36}$/);
    } finally {
      warn.restore();
    }
  });
});
