/**
 * `npm run fuzz -- [--seconds 600 | --examples n] [--seed n] [--exclude checks]`: starts the whole service and lets Schemathesis drive it from its own
 * document, for some seconds or with some examples for each operation. With a seed the second form sends the same requests on a slow machine, too. What
 * was answered is counted in the log of the API, not by the one who asked.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChild } from '../../harness/stage/child.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { numbersFrom } from '../../harness/report/number-options.js';
import { startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { DemoClient } from '../../local/demo/demo-client.js';
import { root } from '../deploy/project.js';
import { assess, readAnswers } from './answers.js';
import { pythonPrograms } from '../support/downloads.js';

const { seconds, examples, seed, exclude } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    examples: { type: 'string' },
    seed: { type: 'string' },
    exclude: { type: 'string' },
  },
}).values;
const numbers = numbersFrom(1, { seconds, examples: examples ?? '1' });
const folder = join(root, 'test/fuzz');
/** Operations that end the session of their caller. After them every other operation would answer 401. */
const endings = ['logOut', 'logOutAll', 'deleteConsoleSession'];
const operationOptions = (flag: string, operations: readonly string[]) => operations.flatMap((id) => [flag, id]);
const secondsOfLogouts = '15';
const single = ['--phases', 'examples,coverage,fuzzing'];
/** What is driven one after the other, with the options that end it. Sequences need more examples until links lead to stored data. */
const parts =
  examples === undefined
    ? [['--max-time', seconds]]
    : [
        [...single, '--max-examples', examples],
        ['--phases', 'stateful', '--max-examples', `${10 * numbers.examples}`],
      ];
const ofLogouts = [...single, ...(examples === undefined ? ['--max-time', secondsOfLogouts] : ['--max-examples', examples])];
/** Starting, and the last requests. */
const graceMs = 300_000;
/** On a slow machine. */
const exampleMsMax = 30_000;
const runMsMax = graceMs + (examples === undefined ? numbers.seconds * 1_000 : numbers.examples * exampleMsMax);

await runToExit(runMsMax, async (cleanup) => {
  const schemathesis = join(pythonPrograms('schemathesis', join(folder, 'requirements.txt')), 'schemathesis');
  const dataDir = temporaryFolder('fuzz', cleanup);
  const { baseUrl } = await startService(
    dataDir,
    {
      LOG_LEVEL: 'info',
      RATE_LIMIT_AUTH: '1000000/60',
      RATE_LIMIT_LOGIN: '1000000/60',
      RATE_LIMIT_BULK: '1000000/60',
      MAX_API_KEYS: '100000',
      MAX_WEBHOOKS: '10000',
      MAX_OPEN_BATCHES: '100000',
    },
    cleanup,
  );
  const exitCodes: number[] = [];
  for (const part of parts) {
    const options = [...part, ...operationOptions('--exclude-operation-id', endings)];
    exitCodes.push(await drive({ schemathesis, baseUrl, options }, cleanup));
  }
  for (const operation of endings) {
    const options = [...ofLogouts, '--include-operation-id', operation];
    exitCodes.push(await drive({ schemathesis, baseUrl, options, endsSession: true }, cleanup));
  }
  const report = assess(readAnswers(join(dataDir, 'logs')));
  process.stdout.write(`${report.lines.join('\n')}\n`);
  return exitCodes.every((code) => code === 0) && report.faults === 0 ? 0 : 1;
});

interface Drive {
  /** The program. */
  schemathesis: string;
  baseUrl: string;
  /** Options that choose the operations, and end the run. */
  options: readonly string[];
  endsSession?: boolean;
}

/**
 * Runs Schemathesis with a new account. Its output goes to the terminal.
 * @returns its exit code; 1 also if it has lost its session or its key, because the rest of its requests then got a 401 only
 */
async function drive({ schemathesis, baseUrl, options, endsSession = false }: Drive, cleanup: Cleanup): Promise<number> {
  const client = new DemoClient(baseUrl, AbortSignal.timeout(60_000));
  const account = { email: `fuzz-${randomUUID()}@tidings.invalid`, password: `fuzz-${randomUUID()}` }; // unlike the samples, which would change the password and close the account
  await client.call('POST', '/auth/signup', { body: { ...account, company_name: 'Fuzz' } });
  const { token } = await client.call<{ token: string }>('POST', '/auth/login', { body: account });
  const { id, key } = await client.call<{ id: string; key: string }>('POST', '/api-keys', { body: { name: 'fuzz' }, token });
  const { sessions } = await client.call<{ sessions: { id: string; is_current: boolean }[] }>('GET', '/auth/sessions', { token });
  const sessionId = sessions.find(({ is_current }) => is_current)?.id;
  const args = [
    '--config-file',
    join(folder, 'schemathesis.toml'),
    'run',
    `${baseUrl}/openapi.json`,
    ...options,
    '--workers',
    '1', // with more threads Python 3.11 now and then fails while Hypothesis reads lambdas: "AST constructor recursion depth mismatch"
  ];
  if (seed !== undefined) args.push('--seed', seed);
  if (exclude !== undefined) args.push('--exclude-checks', exclude);
  const child = spawn(schemathesis, args, {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONPATH: folder,
      FUZZ_JWT: token,
      FUZZ_API_KEY: key,
      FUZZ_API_KEY_ID: id,
      FUZZ_SESSION_ID: sessionId,
    },
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  cleanup.add(() => stopChild(child));
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  if (!endsSession && !(await isSignedIn(baseUrl, token, key))) return 1;
  return exitCode ?? 1;
}

/** Whether the session and the key still work. Says which does not. */
async function isSignedIn(baseUrl: string, token: string, apiKey: string): Promise<boolean> {
  const client = new DemoClient(baseUrl, AbortSignal.timeout(60_000));
  for (const [name, credential] of Object.entries({ session: { token }, key: { apiKey } })) {
    try {
      await client.call('GET', '/balance', credential);
    } catch (error) {
      process.stdout.write(`the run can no longer use its ${name}: ${String(error)}\n`);
      return false;
    }
  }
  return true;
}
