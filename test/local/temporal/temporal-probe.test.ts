import assert from 'node:assert/strict';
import { requireTemporal, untilTemporalServes } from '../../../local/temporal/temporal-probe.js';
import { temporalServerOf } from '../../../models/settings/connection-settings.js';
import { freePort } from '../../support/network/free-port.js';

describe('asking Temporal', () => {
  const names = ['http_proxy', 'https_proxy', 'grpc_proxy'];
  const former = names.map((name) => process.env[name]);
  const setProxies = (values: readonly (string | undefined)[]) => {
    for (const [at, name] of names.entries()) {
      if (values[at] === undefined) delete process.env[name];
      else process.env[name] = values[at];
    }
  };
  before(async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    setProxies(names.map(() => nowhere));
  });
  after(() => setProxies(former));

  it('a Temporal server is reached directly, whatever proxy the environment names', async () => {
    const address = process.env.TEST_TEMPORAL ?? '';
    assert.match(await requireTemporal(temporalServerOf({ TEMPORAL_ADDRESS: address }), 'default'), /^\d+\.\d+/);
    const tooLong = AbortSignal.timeout(30_000);
    await untilTemporalServes(address, 'default', tooLong);
    assert.ok(!tooLong.aborted);
  });
});
