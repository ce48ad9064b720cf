/** A Redis of one's own on loopback, for tests and measurements; it keeps nothing. */
import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Starts it; who starts it ends it.
 * @throws Error where `redis-server` is not installed or ends at its start
 */
export async function startRedisServer(port: number): Promise<ChildProcess> {
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`redis-server ended at its start, exit code ${code}`)));
    server.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ready to accept connections')) resolve();
    });
  });
  return server;
}
