import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { carrierLookup } from '../../../../activities/handoff/providers/carrier-lookup.js';
import { createResolver } from '../../../../models/network/name-resolver.js';
import { type DnsServer, startDnsServer } from '../../../support/network/dns-server.js';

/** After half of this time a server is asked again. A busy process may read an answer late. */
const patientMs = 20_000;

describe('the look-up of a carrier', () => {
  let dns: DnsServer;
  before(async () => {
    dns = await startDnsServer({ 'carrier.test': '192.0.2.1' });
  });
  after(() => dns.close());

  /** The names that the system is asked for. */
  let system: string[];
  const ask = (name: string, { times = 1, lookUpMs = patientMs } = {}) => {
    system = [];
    const known: LookupAddress[] = [{ address: '192.0.2.2', family: 4 }];
    const resolve = createResolver({ servers: [dns.address], lookUpMs, totalMs: lookUpMs });
    const lookup = carrierLookup(resolve, async (asked) => {
      system.push(asked);
      return known;
    });
    const once = () => new Promise((done) => lookup(name, {}, (error, address) => done(error?.code ?? address)));
    return Promise.all(Array.from({ length: times }, once));
  };

  it('the look-up of a carrier is shared by connections that begin together', async () => {
    assert.deepEqual(await ask('carrier.test', { times: 3 }), Array(3).fill('192.0.2.1'));
    assert.deepEqual([dns.asked, system], [['carrier.test', 'carrier.test'], []], 'once for each family');
  });

  it('the look-up of a carrier fails without the system when no server answers', async () => {
    assert.deepEqual([await ask('slow.test', { lookUpMs: 200 }), system], [['ETIMEOUT'], []]);
  });

  it('the look-up of a carrier asks the system for a name that DNS does not know', async () => {
    assert.deepEqual([await ask('api'), system], [['192.0.2.2'], ['api']]);
  });
});
