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
  it('no code compares the name of a channel: channels differ by their declared traits', () => {
    const comparing = rooms
      .flatMap((room) => readdirSync(`${root}/${room}`, { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`))
      .filter((name) => name.endsWith('.ts') && !ofProviders.test(name))
      .filter((name) => naming.test(readFileSync(`${root}/${name}`, 'utf8')));
    assert.deepEqual(comparing, []);
  });

  it('only WhatsApp has read receipts', () => {
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

  it('a refusal from the list of a mail provider ends after some days, and one of a phone carrier stays', () => {
    const now = new Date();
    assert.deepEqual(
      channels.map((channel) => expiryOf(refusalReason(channel), now) === null),
      [true, true, false],
    );
  });
});
