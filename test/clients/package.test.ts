/** The package as somebody installs it: its types, its size, and that it works in a folder that has nothing else. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { generateTypes, typesFiles } from '../../clients/typescript/build/write-types.js';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { useApi } from '../api/use-api.js';
import { root } from '../deploy/project.js';

const bytesMax = 15_000;

const program = `
import { Tidings, TidingsError } from 'tidings-client';
import { verifyWebhook } from 'tidings-client/webhooks';
const { BASE, KEY, BODY, HEADERS, SECRET } = process.env;
const tidings = new Tidings({ apiKey: KEY, baseUrl: BASE });
const { id } = await tidings.messages.send({ to: '+15551234567', channel: 'sms', content: { text: 'Hello' } });
const seen = [];
for await (const message of tidings.messages.list({ status: 'queued' })) seen.push(message.id === id);
const refused = await tidings.messages.get('none').catch((error) => error instanceof TidingsError && error.status);
console.log(JSON.stringify([seen, refused, verifyWebhook(BODY, JSON.parse(HEADERS), SECRET).event]));
`;

const typed = `
import { type Message, type NewMessage, Tidings } from 'tidings-client';
import { verifyWebhook } from 'tidings-client/webhooks';
export async function right(tidings: Tidings): Promise<void> {
  const message: Message = await tidings.messages.get('id');
  const status: 'queued' | 'sent' | 'delivered' | 'failed' | 'read' = message.status;
  await tidings.messages.send({ to: '+15551234567', channel: 'sms', content: { text: status } }, { idempotencyKey: 'order-1' });
  await tidings.messages.preview({ channel: 'email', content: { text: 'Hello' }, recipients: ['bob@example.com'] });
  const repeated: NewMessage = { to: message.to ?? '', channel: message.channel, content: { text: 'Again', subject: 'Again' } };
  await tidings.messages.send(repeated);
  await tidings.messages.preview(repeated);
  for await (const { id, credits_used } of tidings.messages.list({ status: 'failed', limit: 10 })) console.log(id, credits_used.toFixed(1));
  for await (const event of tidings.stream()) if (event.event === 'message.failed') console.log(event.data.error_code.length);
  const { usage } = await tidings.usage({ by: 'channel' });
  const { sentAt } = verifyWebhook('', {}, ['whsec_AAAA']);
  console.log(usage[0]?.credits, sentAt.getTime());
}
export async function wrong(tidings: Tidings): Promise<void> {
  // @ts-expect-error -- a key is needed
  new Tidings({ baseUrl: 'https://api.example.com' });
  // @ts-expect-error -- not a channel
  await tidings.messages.send({ to: '+15551234567', channel: 'voice', content: { text: 'Hello' } });
  // @ts-expect-error -- nobody to send to
  await tidings.messages.send({ channel: 'sms', content: { text: 'Hello' } });
  // @ts-expect-error -- not a status
  tidings.messages.list({ status: 'lost' });
  // @ts-expect-error -- the client has the cursor
  tidings.messages.list({ cursor: 'x' });
  // @ts-expect-error -- not a field of a message
  (await tidings.messages.get('id')).price;
  // @ts-expect-error -- only a failed message has an error code
  for await (const event of tidings.stream()) if (event.event === 'message.sent') event.data.error_code;
  // @ts-expect-error -- not an event
  await tidings.webhooks.create({ url: 'https://example.com', events: ['message.lost'] });
}
`;
/** A program in CommonJS, as in older projects and in test runners such as Jest. */
const commonJsProgram = `
const { Tidings, TidingsError } = require('tidings-client');
const { verifyWebhook, WebhookVerificationError } = require('tidings-client/webhooks');
const tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: 'http://127.0.0.1:1', retries: 0 });
let fault;
try { verifyWebhook('{}', {}, 'whsec_AAAA'); } catch (error) { fault = error instanceof WebhookVerificationError && error.fault; }
tidings.balance().catch((error) => console.log(JSON.stringify([error instanceof TidingsError, fault])));
`;
const tsconfig = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    strict: true,
    skipDefaultLibCheck: true,
    noEmit: true,
    types: [],
  },
};

const compiler = join(root, 'test/client/node_modules/typescript/bin/tsc');

/** @throws Error if the compiler refuses something in the folder */
function compile(folder: string): void {
  execFileSync(process.execPath, [compiler, '--project', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
}

describe('the package tidings-client', () => {
  const app = useApi();
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-package-'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const options = { cwd: folder, stdio: 'pipe' } as const;
    execFileSync('npm', ['pack', join(root, 'clients/typescript'), '--pack-destination', folder], options);
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], options);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('the package tidings-client is installed without anything else', () => {
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['tidings-client'],
    );
  });

  it('the package tidings-client sends, lists and verifies in a folder of its own', async () => {
    const { key: KEY } = await app.account();
    const SECRET = generateWebhookSecret();
    const BODY = '{"event":"message.sent","timestamp":"","data":{}}';
    const headers = deliveryHeaders({
      id: 'one',
      type: 'message.sent',
      body: BODY,
      secrets: [SECRET],
      timestampSeconds: Math.floor(Date.now() / 1000),
    });
    const HEADERS = JSON.stringify(headers);
    writeFileSync(join(folder, 'program.js'), program);
    const env = { PATH: process.env.PATH, BASE: app.url, KEY, BODY, HEADERS, SECRET };
    const { stdout } = await promisify(execFile)(process.execPath, ['program.js'], { cwd: folder, env });
    assert.deepEqual(JSON.parse(stdout), [[true], 404, 'message.sent']);
  });

  it('the package tidings-client brings the command', async () => {
    const { key } = await app.account();
    const env = { PATH: process.env.PATH, TIDINGS_URL: app.url, TIDINGS_API_KEY: key };
    const { stdout } = await promisify(execFile)(join(folder, 'node_modules/.bin/tidings'), ['send', '+15551234567', 'Hello'], { env });
    assert.match(stdout, / queued +1 credit\n$/);
  });

  it('the package tidings-client accepts correct calls and refuses wrong ones at compile time', () => {
    writeFileSync(join(folder, 'typed.ts'), typed);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...tsconfig, include: ['typed.ts'] }));
    compile(folder);
  });

  it('the package tidings-client has the licences of the packages in its code', () => {
    const read = (file: string) => readFileSync(join(folder, 'node_modules/tidings-client/dist', file), 'utf8');
    const names = [...read('tidings.js').matchAll(/^\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(names)], ['csv-parse']);
    assert.match(read('THIRD-PARTY-LICENSES'), /^csv-parse \d.*\n\n.*Copyright .*Permission is hereby granted/s);
  });

  it('the package tidings-client can be required from CommonJS', async () => {
    writeFileSync(join(folder, 'program.cjs'), commonJsProgram);
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-experimental-require-module', 'program.cjs'], { cwd: folder });
    assert.deepEqual(JSON.parse(stdout), [true, 'headers']);
  });

  it('the package tidings-client has its types in CommonJS, also with the resolution of Node 10', () => {
    const commonjs = join(folder, 'commonjs');
    mkdirSync(commonjs);
    writeFileSync(join(commonjs, 'package.json'), '{}');
    writeFileSync(join(commonjs, 'typed.ts'), typed);
    for (const resolution of [{ module: 'node16' }, { module: 'commonjs', moduleResolution: 'node10' }]) {
      const compilerOptions = { ...tsconfig.compilerOptions, ...resolution };
      writeFileSync(join(commonjs, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['typed.ts'] }));
      compile(commonjs);
    }
  });

  it(`the package tidings-client has at most ${bytesMax} bytes minified, and asks nothing of Node`, () => {
    const code = readFileSync(join(folder, 'node_modules/tidings-client/dist/index.js'), 'utf8');
    const { length } = transformSync(code, { minify: true, format: 'esm' }).code;
    assert.ok(length < bytesMax, `${length} bytes`);
    assert.doesNotMatch(code, /\bimport\b|\brequire\(|\bprocess\b|\bBuffer\b/);
  });

  it('the package tidings-client has the types of the OpenAPI document: npm run generate writes them', () => {
    for (const { file, isKept } of typesFiles) assert.ok(readFileSync(file, 'utf8') === generateTypes(isKept), 'run npm run generate');
  });
});
