import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { channels, channelsTo, channelTraits } from '../../models/channels.js';
import { recipientKey, recipientKeyInSql } from '../../models/rules/messages/recipient.js';
import { expiryOf, refusalReason } from '../../models/rules/contacts/suppression.js';
import { root } from '../deploy/project.js';

const rooms = ['activities', 'api', 'models', 'workflows'];
/** Clients and callback readers of one provider speak of its channels. */
const ofProviders = /^(activities\/handoff\/providers|models\/rules\/(callbacks|failures))\//;

const names = `(?:${channels.join('|')})`;
/** `channel === 'sms'`, `includes('sms')`, `routes.sms` */
const naming = new RegExp(`hannel\\)? [!=]== '${names}'|includes\\('${names}'\\)|routes\\.${names}\\b`);

describe('channels', () => {
  it('differ only by their declared traits: no code compares the name of a channel', () => {
    const comparing = rooms
      .flatMap((room) => readdirSync(`${root}/${room}`, { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`))
      .filter((name) => name.endsWith('.ts') && !ofProviders.test(name))
      .filter((name) => naming.test(readFileSync(`${root}/${name}`, 'utf8')));
    assert.deepEqual(comparing, []);
  });

  it('report reads only on whatsapp', () => {
    assert.deepEqual(
      channels.filter((channel) => channelTraits[channel].hasReadReceipts),
      ['whatsapp'],
    );
  });

  it('channels reach phones and mailboxes, each by one kind of address', () => {
    assert.deepEqual([channelsTo('phone'), channelsTo('email')], [['sms', 'whatsapp'], ['email']]);
  });

  it('channels have one key for a mailbox in any letter case, in SQL too', () => {
    assert.equal(recipientKey('email', 'Ann@Example.COM'), 'ann@example.com');
    assert.equal(recipientKeyInSql('m'), `CASE m.channel WHEN 'email' THEN lower(m."to") ELSE m."to" END`);
  });

  it('channels end a refusal by a mail provider after some days, and keep one by a phone carrier', () => {
    const now = new Date();
    assert.deepEqual(
      channels.map((channel) => expiryOf(refusalReason(channel), now) === null),
      [true, true, false],
    );
  });
});
