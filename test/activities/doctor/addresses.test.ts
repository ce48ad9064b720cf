import assert from 'node:assert/strict';
import { callbackUrlCheck, publicUrlCheck } from '../../../activities/doctor/checks/addresses.js';
import { runChecks } from '../../../activities/doctor/check.js';
import { testConfig } from '../../support/config.js';
import { reply, startCounterpart } from '../../support/carriers/counterpart.js';

describe('the doctor at the addresses of the API', () => {
  it('the doctor checks the paths of PUBLIC_URL and CALLBACK_URL too', async () => {
    const counterpart = await startCounterpart(({ path }, response) => reply(response, path === '/tidings/live' ? 200 : 404, {}));
    try {
      const statesAt = async (base: string) => {
        const config = testConfig({ PUBLIC_URL: counterpart.url + base, CALLBACK_URL: counterpart.url + base });
        return (await runChecks([publicUrlCheck, callbackUrlCheck], { config, db: undefined as never })).map(({ state }) => state);
      };
      assert.deepEqual(
        [await statesAt('/tidings/'), await statesAt('/other')],
        [
          ['ok', 'ok'],
          ['failed', 'failed'],
        ],
      );
    } finally {
      await counterpart.close();
    }
  });
});
