import assert from 'node:assert/strict';
import { faultsOf, load, required } from '../../support/load-settings.js';

const faults = (env: NodeJS.ProcessEnv) => faultsOf({ ...required, ...env });

describe('the settings of workspaces', () => {
  it('mail domains of SIGNUP may have spaces between them', () => {
    const { signup } = load({ SIGNUP: 'verified-domain: A.example, b.example ,c.example' });
    assert.deepEqual(signup, { isClosed: false, domains: ['a.example', 'b.example', 'c.example'] });
    assert.match(faults({ SIGNUP: 'verified-domain:a.example,,b.example' }).join(), /^SIGNUP must be/);
  });

  for (const name of ['LOW_BALANCE_CREDITS', 'SIGNUP_CREDITS']) {
    it(`${name} must be 0 or at least a thousandth of a credit`, () => {
      assert.deepEqual(faults({ [name]: '0.0004' }), [`${name} must be 0, or at least 0.001`]);
      for (const value of ['0', '0.001', '1.5']) load({ [name]: value });
    });
  }
});
