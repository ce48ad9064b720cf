/** Downloads the Temporal server with the Temporal SDK. Also the entry point of the process that downloads. */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isEntryPoint } from '../../models/process/is-entry-point.js';
import { isUnset } from '../plan/plan.js';
import { reasonOf } from '../output/start-error.js';
import { type InstallContext, temporalVersion } from './temporal-program.js';

const timeoutMs = 180_000;
const infoUrl = `https://temporal.download/cli/v${temporalVersion}?platform=${process.platform}&arch=${process.arch === 'x64' ? 'amd64' : process.arch}`;

/**
 * Downloads the program. The file gets its name `target` only when it is complete, and has the SHA-256 of TEMPORAL_CLI_SHA256 if that is set.
 * @throws Error within seconds when the download host does not answer
 */
export async function downloadTemporal(target: string, { env, logDir, say, run }: InstallContext): Promise<void> {
  await requireHost();
  say(`downloading Temporal ${temporalVersion} (only once)`);
  const folder = `${dirname(target)}/download-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    // The download runs in its own process, so that it can be cancelled, and so that the launcher does not load the native library of the SDK.
    const command = {
      name: 'the download',
      command: process.execPath,
      args: [import.meta.filename, folder],
      env,
      log: join(logDir, 'temporal-download.log'),
      stop: [],
    };
    await run(command, timeoutMs);
    const program = join(folder, programIn(folder));
    requireSha256(await sha256Of(program), env.TEMPORAL_CLI_SHA256, say);
    renameSync(program, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the download host first, because the SDK would retry for minutes without a network. */
async function requireHost(): Promise<void> {
  const { ok, status } = await fetch(infoUrl, { signal: AbortSignal.timeout(3_000) }).catch((error: Error) => {
    throw new Error(`${new URL(infoUrl).host} does not answer (${reasonOf(error.cause ?? error)})`);
  });
  if (!ok) throw new Error(`${new URL(infoUrl).host} returned ${status}`);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

/** Without a wanted SHA-256, says which one the file has, so that it can be pinned. @throws Error when they differ */
function requireSha256(found: string, wanted: string | undefined, say: InstallContext['say']): void {
  const file = `the downloaded Temporal ${temporalVersion} has the SHA-256 ${found}`;
  if (isUnset(wanted)) return say(`${file}; TEMPORAL_CLI_SHA256=${found} accepts no other`);
  if (found === wanted.toLowerCase()) return;
  say(`${file}, not that of TEMPORAL_CLI_SHA256: it is not used`); // another way may succeed, and then nothing else reports this
  throw new Error(`${file}, not that of TEMPORAL_CLI_SHA256`);
}

function programIn(folder: string): string {
  const program = readdirSync(folder).find((name) => name.startsWith('temporal') && !name.endsWith('.downloading'));
  if (program === undefined) throw new Error('nothing was downloaded');
  return program;
}

/** The SDK downloads only when it starts a server, so this starts one and stops it. */
async function downloadInto(folder: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const executable = { type: 'cached-download', downloadDir: folder, version: `v${temporalVersion}` } as const;
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
}

const folder = process.argv[2];
if (isEntryPoint(import.meta.filename) && folder !== undefined) await downloadInto(folder);
