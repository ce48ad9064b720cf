// Finds or builds the Temporal server program in the same way as `npm start` and the tests, so that no test waits for the build.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findTemporal } from '../dist/local/temporal/find-temporal.js';

const run = ({ command, args, cwd, env }, timeout) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, timeout, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve('') : reject(new Error(`${command} ended with code ${code}`))));
  });

const { path, server } = await findTemporal({ env: process.env, logDir: tmpdir(), say: (line) => process.stdout.write(`${line}\n`), run });
process.stdout.write(`Temporal server ${server}: ${path}\n`);
