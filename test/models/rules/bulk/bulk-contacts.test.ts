import assert from 'node:assert/strict';
import { planBulk, planWithin } from '../../../../models/rules/bulk/bulk.js';
import type { BulkContact } from '../../../../models/rules/bulk/bulk-contact.js';
import { previewBulk } from '../../../../models/rules/bulk/bulk-preview.js';
import { bulk, faultsOf, messagesOf, phone, textsOf } from '../../../support/bulk-requests.js';

const contact = (changes: Partial<BulkContact>): BulkContact => ({
  id: 'a1',
  name: 'Ann',
  phone: phone(0),
  email: null,
  custom_fields: {},
  ...changes,
});
const known = (...contacts: BulkContact[]) => new Map(contacts.map((each) => [each.id, each]));
const toContact = { recipients: [{ contact_id: 'A1' }] };

describe('contacts as recipients', () => {
  it('contacts get the message at their address on the channel, with their data as values', async () => {
    const contacts = known(contact({ email: 'ann@example.com', custom_fields: { city: 'Rome', level: 2, isNew: true, list: [1] } }));
    const text = '{{name}} {{city}} {{level}} {{isNew}} {{list|-}}';
    const [message] = await messagesOf(bulk({ ...toContact, contacts, content: { text } }));
    assert.deepEqual([message?.to, message?.content.text], [phone(0), 'Ann Rome 2 true -']);
    const [mail] = await messagesOf(bulk({ ...toContact, contacts, channel: 'email' }));
    assert.equal(mail?.to, 'ann@example.com');
  });

  it('variables of a recipient precede its fields, which precede the name and custom fields of the contact', async () => {
    const contacts = known(contact({ custom_fields: { name: 'custom', a: 'custom', b: 'custom' } }));
    const recipients = [{ contact_id: 'a1', a: 'field', b: 'field', variables: { b: 'variable' } }];
    assert.deepEqual(await textsOf(bulk({ recipients, contacts, content: { text: '{{name}} {{a}} {{b}}' } })), ['Ann field variable']);
  });

  it('contacts as recipients have no value for a name that is absent or cannot be stored', async () => {
    const content = { text: '{{name|friend}}' };
    for (const name of [null, '\0'])
      assert.deepEqual(await textsOf(bulk({ ...toContact, content, contacts: known(contact({ name })) })), ['friend']);
  });

  it('a recipient with an address is not looked up: its contact_id is a variable', async () => {
    const recipients = [{ to: phone(7), contact_id: 'A1' }];
    const [message] = await messagesOf(bulk({ recipients, contacts: known(contact({})), content: { text: '{{contact_id}}' } }));
    assert.deepEqual([message?.to, message?.content.text], [phone(7), 'A1']);
  });

  const field = 'recipients[0].contact_id';
  it('contacts that are unknown or have no address on the channel are refused', async () => {
    assert.deepEqual(await faultsOf(bulk({ ...toContact, contacts: known() })), [{ field, message: 'Contact not found' }]);
    const contacts = known(contact({ phone: null }));
    assert.deepEqual(await faultsOf(bulk({ ...toContact, contacts })), [{ field, message: 'Contact has no phone number' }]);
    assert.deepEqual(await faultsOf(bulk({ recipients: [{ contact_id: 5 }], contacts })), [
      { field, message: `${field} must be a string` },
    ]);
  });

  it('a fault of a contact with a tag names the id of the contact', async () => {
    const request = bulk({ ...toContact, tag: 'vip' });
    assert.equal((await planBulk({ ...request, recipients: [] })).faults.length, 0);
    const [fault] = await faultsOf({ ...request, contacts: known() });
    assert.equal(fault?.field, 'contacts[A1].contact_id');
  });
});

describe('recipients of other countries', () => {
  const request = bulk({ content: { text: 'x' }, recipients: ['+4915112345678', 'bad', phone(0), '+4915112345679'], on_invalid: 'skip' });

  it('recipients of other countries are left out of the plan, and cost nothing', async () => {
    const plan = await planBulk(request);
    const { accepted, cost, invalid, errors, errorCount } = await planWithin(request, plan, ['US']);
    assert.deepEqual([plan.accepted, plan.cost], [[0, 2, 3], 3000]);
    assert.deepEqual([accepted, cost, invalid, errorCount], [[2], 1000, 3, 3]);
    const message = 'Sending to DE is not allowed';
    assert.deepEqual(errors, [
      { index: 0, field: 'recipients[0].to', message },
      { index: 1, field: 'recipients[1].to', message: 'Phone number must be in E.164 format' },
      { index: 3, field: 'recipients[3].to', message },
    ]);
    assert.deepEqual(plan.errors.length, 1, 'the first plan stays as it is');
  });

  it('recipients of other countries have a fault and no price in the preview', async () => {
    const previewed = await previewBulk(request, await planWithin(request, await planBulk(request), ['US']));
    assert.deepEqual(
      previewed.map(({ to, cost, errors }) => [to, cost, errors.map(({ field }) => field)]),
      [
        ['+4915112345678', 0, ['recipients[0].to']],
        ['bad', 0, ['recipients[1].to']],
        [phone(0), 1000, []],
        ['+4915112345679', 0, ['recipients[3].to']],
      ],
    );
  });
});
