/** Starts copies of the receivers in a folder of their own. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { root } from '../deploy/project.js';
import { until } from '../support/client.js';
import { freePort } from '../support/network/free-port.js';

/** The body of an event. */
export const event = (messageId: string) =>
  JSON.stringify({ event: 'message.sent', timestamp: '', data: { message_id: messageId, note: 'ž 🐎' } });

/** Whether the language of a receiver is installed. */
export const has = (program: string) => spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0;

/** A folder with the receivers, and with the package as it would be installed. It is removed after the tests, and what runs is stopped. */
function folderForAll() {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-receivers-'));
  const running: ChildProcess[] = [];
  before(() => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(root, 'verify'), encoding: 'utf8' }),
    );
    const installed = join(folder, 'node_modules/tidings-verify');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components', '1']);
    cpSync(join(root, 'verify/receivers'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"dependencies": {"tidings-verify": "*"}}');
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, running };
}

/** Starts a receiver, and waits until it listens. */
async function startIn({ folder, running }: ReturnType<typeof folderForAll>, program: string, args: readonly string[], secrets: string) {
  const file = args.at(-1);
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRETS: secrets };
  if (program === 'php') args = ['-S', `127.0.0.1:${port}`, ...args];
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let said = '';
  let refused = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    refused += text.toString();
  });
  const post = async (body: string, headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
  await until(
    () =>
      post('', {}).then(
        () => true,
        () => false,
      ),
    `${file} listens`,
  );
  return { port, post, said: () => said, refused: () => refused };
}

/** Copies the receivers before the tests, and stops those that were started after them. Each knows the two secrets, unless it is given others. */
export function useReceivers() {
  const [old, secret] = [generateWebhookSecret(), generateWebhookSecret()];
  const place = folderForAll();
  const { folder } = place;
  const start = (program: string, args: readonly string[], secrets = `${old} ${secret}`) => startIn(place, program, args, secrets);
  /** @returns the program of a file in Go, which is compiled once */
  const compiled = (file: string) => {
    const path = join(folder, basename(file, '.go'));
    if (!existsSync(path)) execFileSync('go', ['build', '-o', path, file], { cwd: folder });
    return path;
  };
  const startCompiled = (file: string) => start(compiled(file), []);
  const signed = (body: string, by = secret, id = uuidv7(), age = 0) =>
    deliveryHeaders({ id, type: 'message.sent', body, secrets: [by], timestampSeconds: Math.floor(Date.now() / 1000) - age });
  return { folder, old, secret, start, compiled, startCompiled, signed };
}
