import assert from 'node:assert/strict';
import { runHere } from './run-here.js';
import { type ScriptedServer, startScriptedServer } from './scripted-server.js';

describe('tidings webhooks replay', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());

  for (const [matched, said] of [
    [0, '0 deliveries match'],
    [1, '1 delivery matches'],
    [2, '2 deliveries match'],
    [null, 'too many deliveries to count match'],
  ] as const) {
    it(`a replay with matched ${matched} prints "${said}"`, async () => {
      server.answers = [{ status: 202, body: { success: true, data: { replay: { id: 'one', status: 'running', matched } } } }];
      const args = ['webhooks', 'replay', 'w', '--since', '2026-01-01T00:00:00Z'];
      const { stdout, stderr } = await runHere(args, { TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url });
      assert.equal(stdout, `one  running  ${said}\n`, stderr);
    });
  }
});
