/** The version of the TypeScript client, where its users and the operators of the service see it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Tidings } from '../../../clients/typescript/client/index.js';
import { userAgent } from '../../../clients/typescript/client/version.js';
import { root } from '../../deploy/project.js';
import { runHere } from '../run-here.js';
import { startScriptedServer } from '../scripted-server.js';

describe('the version of the TypeScript client', () => {
  const { version } = JSON.parse(readFileSync(`${root}/clients/typescript/package.json`, 'utf8')) as { version: string };

  it('each request names the version of the client, that of its package', async () => {
    const server = await startScriptedServer();
    try {
      server.answers = [{ status: 200, body: { success: true, data: { balance: 1 } } }];
      await new Tidings({ apiKey: 'tidings_x', baseUrl: server.url }).balance();
      assert.match(String(server.requests[0]?.headers['user-agent']), new RegExp(`^tidings-client/${version} \\(.+\\)$`));
    } finally {
      await server.close();
    }
  });

  it('the name of a runtime is shown, and that of a browser stays as it is', () => {
    assert.equal(userAgent({ userAgent: 'Deno/2.1.0' }), `tidings-client/${version} (Deno/2.1.0)`);
    assert.equal(userAgent({ userAgent: 'Mozilla/5.0 (X11)' }), undefined);
  });

  it('tidings --version shows the version', async () => {
    for (const option of ['--version', '-v'])
      assert.deepEqual(await runHere([option], {}), { code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
