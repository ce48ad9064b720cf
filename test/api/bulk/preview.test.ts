import assert from 'node:assert/strict';
import { Message } from '../../../models/tables/message.js';
import { people, phone } from '../../support/bulk-requests.js';
import { rows } from '../../support/database.js';
import { ledgerOf } from '../../support/rows/messages.js';
import { useApi } from '../use-api.js';

describe('POST /api/v1/messages/preview', () => {
  const app = useApi();
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ key, workspaceId } = await app.account());
  });
  const preview = (body: object) => app.call('POST', '/api/v1/messages/preview', { key, body });
  const assertNothingStored = async () => {
    assert.equal(await Message.count({ where: { workspace_id: workspaceId } }), 0);
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['grant 100000']);
  };

  describe('of one message', () => {
    const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
    it('200 for the preview of one message with its price, and nothing is sent', async () => {
      const { status, body } = await preview({ ...sms, content: { text: 'ä'.repeat(161) } });
      assert.equal(status, 200);
      assert.deepEqual(body.data.messages, [{ to: sms.to, text: 'ä'.repeat(161), segments: 2, encoding: 'GSM-7', credits: 2, errors: [] }]);
      assert.equal(body.data.credits, 2);
      await assertNothingStored();
    });
    it('400 for the preview of one message with the faults that a send refuses', async () => {
      const noNumber = await preview({ ...sms, to: 'x' });
      assert.deepEqual([noNumber.status, noNumber.body.error], [400, 'Phone number must be in E.164 format']);
      const [past, soon, later] = [-1, 1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
      const expired = await preview({ ...sms, expires_at: past });
      assert.deepEqual([expired.status, expired.body.error], [400, 'expires_at must be in the future']);
      const early = await preview({ ...sms, expires_at: soon, scheduled_at: later });
      assert.deepEqual([early.status, early.body.error], [400, 'expires_at must be after scheduled_at']);
    });
  });

  describe('of a bulk send', () => {
    const bulk = { channel: 'sms', content: { text: 'Hi {{name}}' }, recipients: people };
    const mails = [
      { to: 'ada@example.com', s: 'News' },
      { to: 'bob@example.com', s: ' ' },
    ];
    it('400 for the preview of a bulk send with the same faults as the send', async () => {
      for (const content of [{ text: '' }, { text: 'x'.repeat(1_601) }]) {
        const faulty = { ...bulk, content, recipients: [{ ...people[0], to: 'x' }, people[1]] };
        const [previewed, sent] = [await preview(faulty), await app.call('POST', '/api/v1/messages/bulk', { key, body: faulty })];
        assert.deepEqual([previewed.status, sent.status, previewed.body.details], [400, 400, sent.body.details]);
        assert.ok(
          previewed.body.details.some(({ field }: { field: string }) => field === 'recipients[0].to'),
          content.text,
        );
      }
      await assertNothingStored();
    });
    it('the preview of a bulk send shows text, price and faults of each row and the total, and writes nothing', async () => {
      const recipients = [people[0], phone(7), { ...people[1], to: 'x' }, { to: phone(8), name: 'ж'.repeat(161) }, people[0]];
      const { status, body } = await preview({ ...bulk, recipients });
      assert.equal(status, 200);
      const missing = 'Missing required field: recipients[1].variables.name';
      const noNumber = { field: 'recipients[2].to', message: 'Phone number must be in E.164 format' };
      assert.deepEqual(body.data, {
        messages: [
          { to: phone(0), text: 'Hi Ann', segments: 1, encoding: 'GSM-7', credits: 1, errors: [] },
          {
            to: phone(7),
            text: 'Hi {{name}}',
            segments: null,
            encoding: null,
            credits: 0,
            errors: [{ field: 'recipients[1].variables.name', message: missing }],
          },
          { to: 'x', text: 'Hi Bob', segments: null, encoding: null, credits: 0, errors: [noNumber] },
          { to: phone(8), text: `Hi ${'ж'.repeat(161)}`, segments: 3, encoding: 'UCS-2', credits: 2, errors: [] },
          { to: phone(0), text: 'Hi Ann', segments: 1, encoding: 'GSM-7', credits: 0, errors: [] },
        ],
        credits: 3,
      });
      assert.equal((await preview({ ...bulk, recipients, allow_duplicates: true })).body.data.credits, 4);
      await assertNothingStored();
    });
    const warned = async (changes: object) => (await preview({ ...bulk, ...changes })).body.data.warnings;
    it('a preview warns once of each suppressed recipient whose message would be sent, and of a time in the past', async () => {
      for (const recipient of [0, 1, 5].map(phone))
        await app.call('POST', '/api/v1/suppressions', { key, body: { channel: 'sms', recipient } });
      assert.equal(await warned({ recipients: [people[2]] }), undefined);
      const all = 'are suppressed on sms: their messages would fail and be refunded';
      const past = { field: 'scheduled_at', message: 'scheduled_at is in the past: the messages are sent at once' };
      assert.deepEqual(await warned({ recipients: [...people, people[0], { to: phone(5) }], scheduled_at: '2020-01-01T00:00:00Z' }), [
        { field: 'recipients', message: `2 recipients ${all}` },
        past,
      ]);
    });
    it('a preview warns of a blank subject, and of one suppressed address', async () => {
      await app.call('POST', '/api/v1/suppressions', { key, body: { channel: 'email', recipient: 'Ada@example.com' } });
      assert.deepEqual(await warned({ channel: 'email', content: { text: 'x', subject: '{{s}}' }, recipients: mails }), [
        { field: 'recipients', message: '1 recipient is suppressed on email: its message would fail and be refunded' },
        { field: 'content.subject', message: 'content.subject is absent or blank in 1 e-mail: it gets the subject "(no subject)"' },
      ]);
    });
    it('a preview warns of values of a template that WhatsApp refuses, and of a subject that it does not send', async () => {
      const template = { name: 'order', language: 'en', variables: { 1: '{{street}}' } };
      const streets = ['One', 'Two\nlines', 'Three\tlines'].map((street, index) => ({ to: phone(index), street }));
      assert.deepEqual(await warned({ channel: 'whatsapp', content: { text: 'x', template, subject: 'y' }, recipients: streets }), [
        {
          field: 'content.template.variables.1',
          message:
            'content.template.variables.1 has line breaks, tabs or more than four spaces in a row, which WhatsApp refuses (2 messages)',
        },
        { field: 'content.subject', message: 'content.subject is ignored: it is not sent on whatsapp' },
      ]);
    });
    it('a preview warns of a tag with more suppressed contacts than one statement looks for', async () => {
      const { db } = app.deps;
      const numbers = `SELECT '+1555' || (1000000 + n) AS phone, gen_random_uuid() AS id FROM generate_series(1, 1500) n`;
      await rows(db, `INSERT INTO contacts (id, workspace_id, phone, tags) SELECT id, $1, phone, '{vip}' FROM (${numbers}) c`, [
        workspaceId,
      ]);
      await rows(
        db,
        `INSERT INTO suppressions (id, workspace_id, channel, recipient, reason, source) SELECT id, $1, 'sms', phone, 'manual', 'api' FROM (${numbers}) s`,
        [workspaceId],
      );
      const { body } = await preview({ channel: 'sms', content: { text: 'x' }, tag: 'vip' });
      const message = '1,500 recipients are suppressed on sms: their messages would fail and be refunded';
      assert.deepEqual(body.data.warnings, [{ field: 'tag', message }]);
    });
    it('400 for the preview of a bulk send with faults of the request as a whole', async () => {
      assert.equal((await preview({ ...bulk, content: {} })).body.error, 'Missing required field: content.text');
      assert.equal((await preview({ ...bulk, recipients: [] })).body.error, 'recipients must have 1 to 10,000 items');
      assert.equal((await preview({ ...bulk, recipients: 7 })).body.error, 'recipients must be an array');
      const channel = 'email';
      const recipients = Array.from({ length: 1000 }, (_item, index) => `${index}@b.co`);
      const tooMuch = await preview({ ...bulk, channel, recipients, content: { text: 'x'.repeat(90_000) } });
      assert.deepEqual([tooMuch.status, tooMuch.body.details[0].field], [400, 'recipients']);
    });
    it('the preview of a bulk send shows exactly what the send does', async () => {
      const { status, body } = await preview(bulk);
      const previewed = body.data;
      assert.equal(status, 200);
      const { batch } = (await app.call('POST', '/api/v1/messages/bulk', { key, body: bulk })).body.data;
      const { messages } = (await app.call('GET', `/api/v1/messages?batch_id=${batch.id}`, { key })).body.data;
      assert.equal(batch.credits_used, previewed.credits);
      assert.deepEqual(
        messages.map(({ content }: { content: { text: string } }) => content.text).toReversed(),
        previewed.messages.map(({ text }: { text: string }) => text),
      );
    });
  });
});
