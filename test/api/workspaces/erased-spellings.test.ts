import assert from 'node:assert/strict';
import { messageOf } from '../../support/rows/messages.js';
import { erasuresForEach } from './erasures-stage.js';

const pairs: [country: string, longer: string, shorter: string][] = [
  ['Mexico', '+521', '+52'],
  ['Argentina', '+549', '+54'],
  ['Brazil', '+55119', '+5511'],
];

describe('a number that is written in two ways', () => {
  const stage = erasuresForEach();
  const { send, sms, ask, finishErasures, shownErasure, placesOfRecipient, suppressions, claimNewMessage } = stage;

  for (const [country, longer, shorter] of pairs)
    for (const [way, askedFor, stored] of [
      ['longer', longer, shorter],
      ['shorter', shorter, longer],
    ] as const)
      it(`the erasure of a number of ${country} in its ${way} form also reaches the other form everywhere`, async () => {
        const { key } = stage.account;
        // With its area, a number of Mexico or Argentina has ten digits. One of Brazil has eight, after its area.
        const end = country === 'Brazil' ? `9${stage.to.slice(-7)}` : `55${stage.to.slice(-7)}0`;
        stage.to = `${stored}${end}`;
        const { body } = await send(sms());
        const chain = { ...sms(), to: '+15559999998', metadata: {}, reference: 'x', content: { text: 'x' } };
        await send({ ...chain, fallback: [{ channel: 'whatsapp', to: stage.to, after: 60 }] });
        const bulk = { channel: 'sms', content: { text: 'x' }, recipients: [stage.to] };
        const headers = { 'Idempotency-Key': `for-${stage.to}` };
        await stage.app.call('POST', '/api/v1/messages/bulk', { key, body: bulk, headers });
        await stage.app.call('POST', '/api/v1/contacts', { key, body: { name: 'Ada', phone: stage.to } });
        await stage.app.call('POST', '/api/v1/suppressions', { key, body: { channel: 'sms', recipient: stage.to } });
        const erasure = await ask(`${askedFor}${end}`);
        await finishErasures();
        assert.deepEqual([await shownErasure(erasure), await placesOfRecipient(end)], [['completed', 2], []]);
        assert.notEqual((await messageOf(stage.db, body.data.message.id)).erased_at, null);
        assert.equal((await suppressions()).length, 1);
        assert.equal(await claimNewMessage(), 'failed/suppressed');
        stage.to = `${askedFor}${end}`;
        assert.equal(await claimNewMessage(), 'failed/suppressed');
      });
});
