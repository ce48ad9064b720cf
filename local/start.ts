/** `npm start`: runs the service, and the servers that are not configured, until Ctrl-C. Entry point: `node dist/local/start.js`. */
import { withEnvFile } from '../models/settings/environment.js';
import { ConfigError } from '../models/settings/config.js';
import { Launcher } from './processes/launcher.js';
import { Output } from './output/output.js';
import { readPlan } from './plan/plan.js';
import { StartError } from './output/start-error.js';
import { startService } from './steps.js';

/** The terminal sends Ctrl-C to this process, and npm sends it again. A second signal within this time is the same key press. */
const sameKeystrokeMs = 500;
const output = new Output(process.stdout);

try {
  run(new Launcher(readPlan(withEnvFile(process.env)), output, startService));
} catch (error) {
  report(error);
  process.exitCode = 1;
}

function run(launcher: Launcher): void {
  let stoppingSince: number | undefined;
  const stop = async (exitCode: number) => {
    stoppingSince = performance.now();
    await launcher.stop();
    process.exit(exitCode);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince === undefined) {
      output.plain(`\nStopping (${signal}). Press Ctrl-C again to force it.`);
      void stop(0);
    } else if (performance.now() - stoppingSince > sameKeystrokeMs) {
      launcher.kill();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  process.on('disconnect', () => stoppingSince ?? void stop(0)); // the parent process has ended
  process.on('uncaughtException', (error) => {
    report(error);
    void stop(1);
  });
  launcher.start().then(
    () => process.send?.({ ready: true }),
    (error: unknown) => {
      if (stoppingSince !== undefined) return; // the start was cancelled
      report(error);
      void stop(1);
    },
  );
}

/** Prints errors that the user can fix as they are, and other errors with their stack. */
function report(error: unknown): void {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  output.fault(isExpected ? error.message : String((error as Error).stack ?? error));
}
