/** The code in the README and in the guides runs as it stands, one block after another, against a service that was just started. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { isAlive } from '../../local/processes/process-identity.js';
import { exitCodeOf, killAll, processesOf, type StartedService, startEntryPoint } from '../local/service.js';
import { temporaryFolder } from '../local/processes/stand-in.js';
import { until } from '../support/client.js';
import { freePort } from '../support/network/free-port.js';
import { type Block, blocksOf, Shell } from './samples.js';
import { root } from './project.js';

const documents = ['README.md', 'docs/clients.md', 'docs/webhooks.md'];
const programs = new Set(['sh', 'js', 'py']);
const blocks = documents.flatMap(blocksOf).filter(({ language }) => programs.has(language));

/** Commands that other tests run: the first words of their blocks. Those of the clients and the command are in test/clients. */
const elsewhere = [
  'npm ci && npm start',
  'npm ci && npm test',
  'npm pack ./clients/typescript',
  'python3 -m venv',
  'export TIDINGS_URL=',
  'npx -p openapi-typescript',
  'WEBHOOK_ALLOWED_NETWORKS=',
];
/** Blocks that do not end, by words in them. */
const proxy = 'tls.createServer';
const receiver = 'verify/receivers/receiver.py';
const stream = '/stream"';

const body = '{"event":"message.sent","timestamp":"","data":{"message_id":"one"}}';
const secret = generateWebhookSecret();
const hex = createHmac('sha256', secret).update(body).digest('hex');

/** A request that is signed when its block runs: a receiver refuses it after five minutes. */
function request(): string {
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const headers = JSON.stringify(deliveryHeaders({ id: 'one', type: 'message.sent', body, secrets: [secret], timestampSeconds }));
  return `const secret = '${secret}', rawBody = '${body}', request = { headers: ${headers} };\nprocess.env.WEBHOOK_SECRET = secret;`;
}

/** What surrounds a block that is part of a receiver. */
interface Part {
  before(): string;
  after: string;
}

const parts: readonly (Part & { words: string })[] = [
  { words: "from 'standardwebhooks'", before: request, after: '' },
  {
    words: 'export function isGenuine',
    before: request,
    after: `if (!isGenuine(secret, rawBody, '${hex}') || isGenuine(secret, rawBody + ' ', '${hex}')) process.exit(1);
      for (const forged of [undefined, '', 'é', '${hex.slice(2)}']) if (isGenuine(secret, rawBody, forged)) process.exit(1);`,
  },
  {
    words: 'def is_genuine',
    before: () => '',
    after: `assert is_genuine('${secret}', b'${body}', '${hex}') and not is_genuine('${secret}', b'', '${hex}')
assert not any(is_genuine('${secret}', b'${body}', forged) for forged in (None, '', 'é', '${hex.slice(2)}'))`,
  },
];

describe('samples of the documents', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, '.data');
  let service: StartedService;
  const shells: Shell[] = [];
  let shell: Shell;
  let address: string;
  let ports: { proxy: number; receiver: number };

  const open = (): Shell => {
    const { PATH, HOME } = process.env;
    const opened = new Shell(folder.path, { PATH, HOME, PORT: String(ports.receiver) });
    shells.push(opened);
    return opened;
  };
  /** The documents name the usual ports. */
  const here = (code: string) =>
    code.replaceAll('http://127.0.0.1:3000', address).replaceAll('8443', String(ports.proxy)).replaceAll('8080', String(ports.receiver));

  before(async () => {
    ports = { proxy: await freePort(), receiver: await freePort() };
    mkdirSync(dataDir);
    service = await startEntryPoint(dataDir, {
      // Other services that start meanwhile choose theirs at random, and do not take this one.
      PORT: String(await freePort()),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_PORTS: `443,8443,${ports.proxy}`,
    });
    address = service.find(/API +(http\S+)/);
    for (const name of ['verify', 'node_modules']) symlinkSync(join(root, name), join(folder.path, name));
    shell = open();
  });
  after(async () => {
    for (const each of shells) each.close();
    await killAll();
    folder.remove();
  });

  /** Runs a program that says how: `save as send.mjs, run with: node send.mjs`. */
  async function runProgram({ code }: Block, [, file = '', command = '']: RegExpMatchArray): Promise<string> {
    writeFileSync(join(folder.path, file), here(code));
    const { printed, exitCode } = await shell.run(command);
    assert.equal(exitCode, 0, printed);
    return printed;
  }

  async function runPart({ code, language }: Block, { before, after }: Part): Promise<void> {
    const [file, command] = language === 'py' ? ['part.py', 'python3'] : ['part.mjs', 'node'];
    writeFileSync(join(folder.path, file), `${before()}\n${code}\n${after}\n`);
    const { printed, exitCode } = await shell.run(`${command} ${file}`);
    assert.equal(exitCode, 0, printed);
  }

  async function runCommands({ code }: Block): Promise<void> {
    const { printed, exitCode } = await shell.run(here(code));
    assert.equal(exitCode, 0, printed);
    assert.doesNotMatch(printed, /"success": ?false|curl: \(|rror:/);
  }

  for (const block of blocks) {
    const { code, path, line } = block;
    if (elsewhere.some((words) => code.startsWith(words))) continue;
    it(`the sample at ${path}:${line} works: ${code.split('\n')[0]?.slice(0, 60)}`, async () => {
      const program = /save as (\S+), run with: (.+)/.exec(code);
      const part = parts.find(({ words }) => code.includes(words));
      if (program !== null) assert.match(await runProgram(block, program), /^[0-9a-f-]{36} (queued|sent|delivered)$/m);
      else if (part !== undefined) await runPart(block, part);
      else if (code.includes(proxy)) open().start(here(code));
      else if (code.includes(stream)) await watch(here(code));
      else if (code.includes(receiver)) await receive(here(code));
      else await runCommands(block);
    });
  }

  /** Starts code in a terminal of its own, with the address and the key of the first one. */
  async function startBeside(code: string): Promise<Shell> {
    const { printed: exports } = await shell.run('export -p | grep -E " (BASE|KEY)="');
    const other = open();
    other.start(`${exports}\n${code}`);
    return other;
  }

  /** With the key that is in use: the first lines of the README choose another workspace. */
  async function send(): Promise<void> {
    const [block] = blocks.filter((one) => one.path === 'README.md' && one.code.includes('/messages/send'));
    assert.ok(block);
    await runCommands({ ...block, code: block.code.replaceAll(/^export .*$/gm, '') });
  }

  async function watch(code: string): Promise<void> {
    const other = await startBeside(code);
    await other.until(/^retry: /m); // it is open
    await send();
    await other.until(/^event: message\.delivered$/m);
  }

  async function receive(code: string): Promise<void> {
    const other = await startBeside(code);
    await until(
      () =>
        fetch(`http://127.0.0.1:${ports.receiver}`).then(
          () => true,
          () => false,
        ),
      'the receiver listens',
    );
    await send();
    await other.until(/^message\.sent ([0-9a-f-]{36})\n(.*\n)*message\.delivered \1$/m);
  }

  it('samples of the documents are all run here, or named as run elsewhere', () => {
    assert.ok(blocks.length > 15);
    for (const words of elsewhere)
      assert.ok(
        blocks.some(({ code }) => code.startsWith(words)),
        words,
      );
  });

  it('Ctrl-C stops everything in order within 20 s, as the README says', async () => {
    const { child, printed } = service;
    const processes = processesOf(dataDir);
    assert.equal(processes.length, 4);
    const since = performance.now();
    child.kill('SIGINT');
    assert.equal(await exitCodeOf(child), 0);
    assert.ok(performance.now() - since < 20_000);
    const stopped = [...printed().matchAll(/✓ (\w+) stopped/g)].map(([, name]) => name);
    assert.deepEqual(stopped, ['API', 'worker', 'Temporal', 'PostgreSQL']);
    assert.ok(!processes.some(isAlive));
  });
});
