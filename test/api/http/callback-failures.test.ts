import assert from 'node:assert/strict';
import { createCallbackFailures } from '../../../api/http/callback-failures.js';
import { noHeaders, type Limiter } from '../../../api/http/rate-limit.js';

describe('the limit of failed callbacks', () => {
  it('the limit of failed callbacks stays high for a carrier after successes of many others at unsubscribe links', async () => {
    const classes: string[] = [];
    const limiter = {
      assertRoom: async ({ rateClass }) => {
        classes.push(rateClass);
      },
    } as Partial<Limiter> as Limiter;
    const limited = createCallbackFailures(limiter);
    const call = (id: string, account: string | undefined, address: string) =>
      limited({ item: { auth: 'provider', id }, account, address }, noHeaders, async () => undefined);
    const carrierCalls = () => call('receiveCallback', 'twilio', '192.0.2.1');

    await carrierCalls();
    for (let one = 0; one < 10_000; one += 1) await call('unsubscribe', undefined, `2001:db8::${one}`);
    await carrierCalls();
    assert.deepEqual([classes.at(0), classes.at(-1)], ['failure', 'knownFailure']);
  });
});
