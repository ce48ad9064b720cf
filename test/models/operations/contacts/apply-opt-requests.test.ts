import assert from 'node:assert/strict';
import { applyOptRequests } from '../../../../models/operations/contacts/apply-opt-requests.js';
import type { CallbackEvent } from '../../../../models/rules/callbacks/callback.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';
import { suppressionsOf } from './suppressions-of.js';

const provider = 'sandbox';
const now = Date.now();
const ago = (seconds: number) => new Date(now - seconds * 1_000);

describe('opt requests that arrive in another order', () => {
  const test = workspaceForEach();
  let events = 0;
  const report = (...reported: CallbackEvent[]) => applyOptRequests(test.db, ['x'.repeat(32)], reported);
  const raw = () => `event ${(events += 1)}`;
  const textOf = (text: string, from: string, occurred_at: Date | null): CallbackEvent => {
    const id = raw();
    return { kind: 'inbound', provider, provider_message_id: id, channel: 'sms', from, to: '+15550000000', text, occurred_at, raw: id };
  };
  const optOutOf = (channel: 'sms' | 'email', recipient: string, message_id: string, occurred_at: Date): CallbackEvent => {
    const source = { provider, channel, recipient, message_id, provider_message_id: null, raw: raw() } as const;
    return { kind: 'opt_out', ...source, reason: 'unsubscribed', occurred_at };
  };
  const optInOf = (channel: 'sms' | 'email', recipient: string, message_id: string | null, occurred_at: Date): CallbackEvent => {
    const source = { provider, channel, recipient, message_id, provider_message_id: null, raw: raw() } as const;
    return { kind: 'opt_in', ...source, occurred_at };
  };

  it('an unsubscription from one workspace holds although a newer one from another was reported before', async () => {
    const other = await buildWorkspace(test.db);
    const mail = { channel: 'email', to: 'ada@example.com' } as const;
    const [ofOne, ofOther] = [await buildSent(test.db, test.workspaceId, mail), await buildSent(test.db, other.id, mail)];
    await report(optOutOf('email', mail.to, ofOne.id, ago(60)), optOutOf('email', mail.to, ofOther.id, ago(120)));
    const entry = ['email ada@example.com opt_out provider'];
    assert.deepEqual([await suppressionsOf(test.db, test.workspaceId), await suppressionsOf(test.db, other.id)], [entry, entry]);
  });

  it('a recipient who subscribes again to one workspace gets no mails of another', async () => {
    const other = await buildWorkspace(test.db);
    const mail = { channel: 'email', to: 'ben@example.com' } as const;
    const [ofOne, ofOther] = [await buildSent(test.db, test.workspaceId, mail), await buildSent(test.db, other.id, mail)];
    await report(optOutOf('email', mail.to, ofOne.id, ago(120)));
    await report(optInOf('email', mail.to, ofOne.id, ago(60)));
    await report(optOutOf('email', mail.to, ofOther.id, ago(90))); // reported late
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), []);
    assert.deepEqual(await suppressionsOf(test.db, other.id), ['email ben@example.com opt_out provider']);
  });

  it('a subscription that names no message ends all older opt-outs from workspaces of the account', async () => {
    const other = await buildWorkspace(test.db);
    const mail = { channel: 'email', to: 'eve@example.com' } as const;
    const [ofOne, ofOther] = [await buildSent(test.db, test.workspaceId, mail), await buildSent(test.db, other.id, mail)];
    await report(optOutOf('email', mail.to, ofOne.id, ago(60)), optOutOf('email', mail.to, ofOther.id, ago(60)));
    const listed = async () => [await suppressionsOf(test.db, test.workspaceId), await suppressionsOf(test.db, other.id)].flat().length;
    await report(optInOf('email', mail.to, null, ago(90)));
    assert.equal(await listed(), 2);
    await report(optInOf('email', mail.to, null, ago(30)));
    assert.equal(await listed(), 0);
  });

  it('a subscription that names a message of another system ends no opt-out', async () => {
    const mail = { channel: 'email', to: 'kim@example.com' } as const;
    const { id } = await buildSent(test.db, test.workspaceId, mail);
    await report(optOutOf('email', mail.to, id, ago(60)));
    const unknown = { ...optInOf('email', mail.to, null, ago(20)), provider_message_id: 'of another system' } as CallbackEvent;
    await report(optInOf('email', mail.to, 'no id of ours', ago(30)), unknown);
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), ['email kim@example.com opt_out provider']);
  });

  it('an unsubscription from a mail of another system suppresses, but not after a newer subscription', async () => {
    const mail = { channel: 'email', to: 'joe@example.com' } as const;
    await buildSent(test.db, test.workspaceId, mail);
    await report(optInOf('email', mail.to, null, ago(60)));
    const unknown = { ...optOutOf('email', mail.to, 'no id of ours', ago(90)), provider_message_id: 'of another system' } as CallbackEvent;
    await report(optOutOf('email', mail.to, 'no id of ours', ago(120)), unknown);
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), []);
    await report(optOutOf('email', mail.to, 'no id of ours', ago(30)));
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), ['email joe@example.com opt_out provider']);
  });

  it('a STOP holds although a newer subscription to another system was reported before', async () => {
    const to = '+15557771004';
    await buildSent(test.db, test.workspaceId, { to });
    await report(optInOf('sms', to, 'no id of ours', ago(60)), textOf('STOP', to, ago(90)));
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), [`sms ${to} opt_out inbound`]);
  });

  it('a STOP to all workspaces holds although a newer opt-out from one was reported before', async () => {
    const other = await buildWorkspace(test.db);
    const to = '+15557771001';
    const [{ id }] = [await buildSent(test.db, test.workspaceId, { to }), await buildSent(test.db, other.id, { to })];
    await report(optOutOf('sms', to, id, ago(60)));
    await report(textOf('STOP', to, ago(120)));
    assert.deepEqual(await suppressionsOf(test.db, other.id), [`sms ${to} opt_out inbound`]);
  });

  it('opt requests without a time of the carrier count in the order of their arrival', async () => {
    const to = '+15557771002';
    await buildSent(test.db, test.workspaceId, { to });
    await report(textOf('STOP', to, null));
    await report(textOf('START', to, null));
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), []);
    await report(textOf('STOP', to, null));
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), [`sms ${to} opt_out inbound`]);
  });

  it('a complaint suppresses although it is older than a START', async () => {
    const to = '+15557771003';
    const { id } = await buildSent(test.db, test.workspaceId, { to });
    await report(textOf('START', to, ago(60)));
    await report({ ...optOutOf('sms', to, id, ago(120)), reason: 'complaint' } as CallbackEvent);
    assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), [`sms ${to} complaint provider`]);
  });
});
