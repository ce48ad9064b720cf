import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../models/settings/config.js';

/** The parent folder of the data folders of services, removed at the end of the process. */
const dataDirs = mkdtempSync(join(tmpdir(), 'tidings-data-'));
process.once('exit', () => rmSync(dataDirs, { recursive: true, force: true }));

/** The environment of a service in tests, with wide limits and short delays. */
export function testEnv(overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL ?? '127.0.0.1:1',
    JWT_SECRET: 'test-jwt-secret-test-jwt-secret-test',
    SECRET_KEY: 'test-secret-key-test-secret-key-test',
    DATA_DIR: mkdtempSync(join(dataDirs, 'service-')),
    LOG_LEVEL: 'silent',
    ACCEPT_TIMEOUT_MS: '20000', // the default is too short where several services share a machine
    DRAIN_SECONDS: '0',
    METRICS_PORT: '0',
    SIGNUP_CREDITS: '100',
    SANDBOX_DELAY_MS: '20',
    RATE_LIMIT_API: '100000/60',
    RATE_LIMIT_JWT: '100000/60',
    RATE_LIMIT_BULK: '100000/60',
    RATE_LIMIT_AUTH: '100000/60',
    RATE_LIMIT_LOGIN: '100000/60',
    MAX_API_KEYS: '1000',
    MAX_WEBHOOKS: '1000',
    MAX_REPLAYS: '1000',
    MAX_OPEN_BATCHES: '1000',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...overrides,
  };
}

/** The same as typed settings. */
export const testConfig = (overrides: NodeJS.ProcessEnv = {}): Readonly<Config> => loadConfig(testEnv(overrides));
