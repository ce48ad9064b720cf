/** `tidings bulk` with answers that the service does not give at will. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { phones } from '../support/bulk-requests.js';
import { runHere } from './run-here.js';
import { refused, type Scripted, type ScriptedServer, startScriptedServer } from './scripted-server.js';

const success = (status: number, data: object, headers = {}): Scripted => ({ status, headers, body: { success: true, data } });
const preview = success(200, { messages: [{ text: 'Hi', errors: [] }], credits: 1 });
const balance = success(200, { balance: 5 });
const batch = { id: 'one', accepted: 1, invalid: 0, credits_used: 1, errors: [] };
const sent = success(201, { batch });
const mismatch = refused(422, 'idempotency_mismatch');
const limited = refused(429, 'rate_limited', { 'Retry-After': '0' });

describe('tidings bulk and the answers of the service', () => {
  let server: ScriptedServer;
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-bulk-answers-'));
  });
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());
  after(() => rmSync(folder, { recursive: true, force: true }));

  function bulk(count: number, { args = [], readsOutput }: { args?: string[]; readsOutput?: number } = {}) {
    const path = join(folder, 'people.csv');
    const filler = 'x'.repeat(count > 2 ? 100_000 : 1); // so few rows need two requests
    writeFileSync(
      path,
      `to,filler\n${phones(count)
        .map((to) => `${to},${filler}`)
        .join('\n')}\n`,
    );
    const env = { TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url };
    return runHere(['bulk', path, '--text', 'Hi', '--yes', ...args], env, {
      input: '',
      ...(readsOutput === undefined ? {} : { readsOutput }),
    });
  }
  const sends = () => server.requests.filter(({ path }) => path === '/api/v1/messages/bulk').length;

  it('rows that were sent with --skip-invalid are not sent again without it, and the other way round', async () => {
    for (const args of [[], ['--skip-invalid']]) {
      server.requests = [];
      server.answers = [preview, balance, mismatch, success(201, { batch }, { 'Idempotent-Replayed': 'true' })];
      const { code, stdout, stderr } = await bulk(1, { args });
      assert.deepEqual([code, stdout], [0, 'one  1 message, 1 credit\n'], stderr);
      const requests = server.requests.filter(({ path }) => path === '/api/v1/messages/bulk');
      assert.deepEqual(
        requests.map(({ body }) => (JSON.parse(body) as { on_invalid?: string }).on_invalid),
        args.length === 0 ? [undefined, 'skip'] : ['skip', undefined],
      );
      assert.match(stderr, /had been sent before/);
    }
  });

  it('a request that differs in more than --skip-invalid from that of its key is refused', async () => {
    server.answers = [preview, balance, mismatch];
    const { code, stderr } = await bulk(1);
    assert.deepEqual([code, sends()], [1, 2], stderr);
  });

  it('a request whose first answer was lost is not reported as sent before', async () => {
    server.answers = [preview, balance, 'cut', success(201, { batch }, { 'Idempotent-Replayed': 'true' })];
    const { code, stdout, stderr } = await bulk(1);
    assert.deepEqual([code, stdout, sends()], [0, 'one  1 message, 1 credit\n', 2]);
    assert.doesNotMatch(stderr, /had been sent before/);
  });

  it('a request that was limited before it is repeated with the other value of --skip-invalid is reported as sent before', async () => {
    server.answers = [preview, balance, limited, mismatch, success(201, { batch }, { 'Idempotent-Replayed': 'true' })];
    const { code, stderr } = await bulk(1);
    assert.deepEqual([code, sends()], [0, 3], stderr);
    assert.match(stderr, /1 of 1 requests had been sent before/);
  });

  it('a request of an earlier run is reported as sent before, also when the first attempt was refused by a limit', async () => {
    server.answers = [preview, balance, limited, success(201, { batch }, { 'Idempotent-Replayed': 'true' })];
    const { code, stderr } = await bulk(1);
    assert.deepEqual([code, sends()], [0, 2], stderr);
    assert.match(stderr, /1 of 1 requests had been sent before/);
  });

  it('a fault of the whole request is shown beside those of its lines', async () => {
    const details = ['rate', 'recipients[1].to'].map((field) => ({ field, message: 'Wrong' }));
    server.answers = [
      preview,
      balance,
      { status: 400, body: { success: false, error: 'Wrong', code: 'validation_failed', message: 'Wrong', details } },
    ];
    const { error } = JSON.parse((await bulk(2, { args: ['--json'] })).stderr.trim().split('\n').at(-1) ?? '');
    assert.deepEqual([error.message, error.details.map(({ field }: { field: string }) => field)], ['Wrong', ['rate', 'line 3.to']]);
  });

  it('a bulk send goes on to its end when nobody reads its output any more', async () => {
    server.answers = [preview, balance, sent];
    const { code, stderr } = await bulk(40, { readsOutput: 0 });
    assert.deepEqual([code, sends()], [0, 2], stderr);
  });

  it('a command that only reads ends with 0 when nobody reads its output any more', async () => {
    const message = {
      id: 'one',
      created_at: '2026-01-01T00:00:00.000Z',
      channel: 'sms',
      status: 'sent',
      to: null,
      content: null,
      error_code: null,
    };
    const page = (_: unknown, number: number) => success(200, { messages: [message], pagination: { next_cursor: `page ${number}` } });
    server.answers = Array.from({ length: 1_000 }, page);
    const env = { TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url };
    const { code, stdout } = await runHere(['messages', '--limit', '1000000'], env, { input: '', readsOutput: 1 });
    assert.deepEqual([code, stdout.split('\n').length], [0, 2]);
  });

  it('a refused bulk send shows all faults by line, and how to correct them', async () => {
    const details = ['recipients[0].to', 'recipients[1].to'].map((field) => ({ field, message: 'No number' }));
    const body = {
      success: false,
      error: 'No number',
      code: 'validation_failed',
      message: 'No number',
      details,
      hints: ['Add a plus sign'],
    };
    const refusal: Scripted = { status: 400, body };
    for (const answers of [[preview, balance, refusal], [refusal]]) {
      server.answers = [...answers];
      const { code, stderr } = await bulk(2);
      assert.equal(code, 1);
      assert.match(stderr, /line 2\.to: No number\n {2}line 3\.to: No number\n {2}→ Add a plus sign\n$/);
      server.answers = [...answers];
      const { error } = JSON.parse((await bulk(2, { args: ['--json'] })).stderr.trim().split('\n').at(-1) ?? '');
      const byLine = ['line 2.to', 'line 3.to'].map((field) => ({ field, message: 'No number' }));
      assert.deepEqual([error.details, error.hints], [byLine, ['Add a plus sign']]);
    }
  });
});
