/**
 * Preloaded into every process of a profiled service (`--import`). On SIGUSR2, API and worker start a CPU profile of each of their threads; on
 * the next SIGUSR2 they write it. So start and warm-up are not profiled.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const folder = process.env.BENCH_PROFILE_DIR;
const samplingUs = 500;
const entryPoints: Record<string, RegExp> = { api: /\/api\/server\.js$/, worker: /\/activities\/worker\.js$/ };
let session: Session | undefined;

function toggle(name: string, into: string): void {
  if (session !== undefined) return finish(session, join(into, `${name}-${isMainThread ? 'main' : `thread-${threadId}`}.cpuprofile`));
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: samplingUs });
  session.post('Profiler.start');
}

function finish(running: Session, path: string): void {
  session = undefined;
  running.post('Profiler.stop', (error, result) => {
    running.disconnect();
    if (error !== null) return;
    writeFileSync(`${path}.new`, JSON.stringify(result.profile));
    renameSync(`${path}.new`, path); // renaming is atomic: a waiting process finds the complete file
  });
}

if (folder !== undefined) {
  const channel = new BroadcastChannel('tidings-bench-profile');
  channel.unref();
  const name = Object.keys(entryPoints).find((key) => entryPoints[key]?.test(process.argv[1] ?? ''));
  if (!isMainThread) channel.onmessage = (message: unknown) => toggle((message as { data: string }).data, folder);
  else if (name !== undefined) {
    process.on('SIGUSR2', () => {
      channel.postMessage(name);
      toggle(name, folder);
    });
  }
}
