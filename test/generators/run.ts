/**
 * `npm run generators [-- --only go,java]`: makes clients from the document of a running service with the common code generators, compiles
 * them, and runs a program with each: it sends a message, reads and lists it, and verifies a webhook.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chosenBy } from '../../harness/report/only-option.js';
import { runToExit } from '../../harness/stage/cleanup.js';
import { startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { DemoClient } from '../../local/demo/demo-client.js';
import { root } from '../deploy/project.js';
import { downloaded, nodePackages, pythonPrograms } from '../support/downloads.js';
import { type Generator, generators, type Step, type Tools } from './generators.js';
import { startInbox } from './inbox.js';

const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;
const tools = join(root, 'test/generators/tools');
const version = '7.25.0';
const jarUrl = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${version}/openapi-generator-cli-${version}.jar`;
const jarDigest = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';
const runMsMax = 1_800_000;
/** The longest step is the first compilation of Java, which downloads its packages. */
const stepMsMax = 300_000;
/** How much of the output of a failed step is shown. */
const shownMax = 4000;

interface Row {
  name: string;
  outcome: string;
  seconds: number;
}

await runToExit(runMsMax, async (cleanup) => {
  const wanted = chosenBy(only, generators, ({ name }) => name);
  const provided: Tools = {
    jar: await downloaded(jarUrl, jarDigest),
    python: pythonPrograms('generators', join(tools, 'requirements.txt')),
    node: nodePackages('generators', join(tools, 'package.json')),
  };
  const folder = temporaryFolder('generators', cleanup);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const { baseUrl } = await startService(dataDir, { RATE_LIMIT_AUTH: '1000/60' }, cleanup);
  const inbox = await startInbox(dataDir, cleanup);
  const env = { BASE: baseUrl, HOOK: inbox.hookUrl, INBOX: inbox.url };
  const document = await (await fetch(`${baseUrl}/openapi.json`)).text();
  const rows: Row[] = [];
  for (const generator of wanted) {
    rows.push(await tryOut(generator, { folder, document, provided, env: { ...env, ...(await signUp(baseUrl, generator)) } }));
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, outcome, seconds } of rows) {
    process.stdout.write(`${name.padEnd(width)}  ${String(Math.round(seconds)).padStart(4)} s  ${outcome}\n`);
  }
  const failed = rows.filter(({ outcome }) => outcome !== 'ok').length;
  if (failed > 0) process.stdout.write(`${failed} of ${rows.length} failed\n`);
  return failed === 0 ? 0 : 1;
});

function referenceOf({ name }: Generator): string {
  return name.replaceAll(/\W+/g, '-').toLowerCase();
}

/** A workspace of its own. @returns the credentials as environment variables of the programs */
async function signUp(baseUrl: string, generator: Generator): Promise<NodeJS.ProcessEnv> {
  const client = new DemoClient(baseUrl, AbortSignal.timeout(60_000));
  const account = { email: `${referenceOf(generator)}@tidings.invalid`, password: 'correct horse battery' };
  await client.call('POST', '/auth/signup', { body: { ...account, company_name: 'Generators' } });
  const { token } = await client.call<{ token: string }>('POST', '/auth/login', { body: account });
  const { key } = await client.call<{ key: string }>('POST', '/api-keys', { body: { name: 'generators' }, token });
  return { KEY: key, TOKEN: token };
}

interface Setting {
  folder: string;
  document: string;
  provided: Tools;
  env: NodeJS.ProcessEnv;
}

/** Runs the steps of a generator until one fails. */
async function tryOut(generator: Generator, { folder, document, provided, env }: Setting): Promise<Row> {
  const started = Date.now();
  const reference = referenceOf(generator);
  const own = join(folder, reference);
  mkdirSync(own);
  writeFileSync(join(own, 'openapi.json'), document);
  process.stdout.write(`${generator.name}\n`);
  for (const step of generator.steps(own, provided)) {
    const fault = await faultOf({ ...step, cwd: step.cwd ?? own, env: { ...process.env, ...env, REFERENCE: reference, ...step.env } });
    if (fault === null) continue;
    process.stdout.write(`${fault}\n`);
    return { name: generator.name, outcome: `${step.what} failed`, seconds: (Date.now() - started) / 1000 };
  }
  return { name: generator.name, outcome: 'ok', seconds: (Date.now() - started) / 1000 };
}

/** Runs one step. @returns the end of its output if it failed, otherwise null */
function faultOf({ command, args, cwd, env }: Step): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, timeout: stepMsMax, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve(error === null ? null : `${error.message.slice(0, 200)}\n${(stdout + stderr).slice(-shownMax)}`);
    });
  });
}
