import assert from 'node:assert/strict';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/workspace';

describe('GET and PUT /api/v1/workspace', () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });
  const put = (body: object) => app.call('PUT', path, { jwt: account.jwt, body });
  const get = async () => {
    const { status, body } = await app.call('GET', path, { jwt: account.jwt });
    assert.equal(status, 200);
    return body.data.workspace;
  };
  const send = (body: object) => app.call('POST', '/api/v1/messages/send', { key: account.key, body });

  it('a new workspace has no setting', async () => {
    const { spend_limit_day, allowed_countries, message_days, credits_balance } = await get();
    assert.deepEqual([spend_limit_day, allowed_countries, message_days, credits_balance], [null, null, null, 100]);
  });

  it('200 for changed settings: omitted ones stay, null removes one, and changes are audited', async () => {
    const changed = await put({ spend_limit_day: 12.5, allowed_countries: ['US', 'DE', 'US'], message_days: 30 });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.data.workspace, await get());
    assert.deepEqual((await put({ message_days: null })).body.data.workspace, {
      ...(await get()),
      spend_limit_day: 12.5,
      allowed_countries: ['DE', 'US'],
      message_days: null,
    });
    await put({ message_days: null });
    const { body } = await app.call('GET', '/api/v1/audit-events?type=workspace.updated', { jwt: account.jwt });
    assert.deepEqual(
      body.data.audit_events.map(({ changes }: { changes: object }) => changes),
      [
        { message_days: { from: 30, to: null } },
        {
          spend_limit_day: { from: null, to: 12.5 },
          allowed_countries: { from: null, to: ['DE', 'US'] },
          message_days: { from: null, to: 30 },
        },
      ],
    );
  });

  for (const [body, error] of [
    [{ spend_limit_day: -1 }, 'spend_limit_day must be from 0 to 1000000000, in thousandths'],
    [{ spend_limit_day: 0.0001 }, 'spend_limit_day must be from 0 to 1000000000, in thousandths'],
    [{ spend_limit_day: 1e-7 }, 'spend_limit_day must be from 0 to 1000000000, in thousandths'],
    [{ spend_limit_day: '5' }, 'spend_limit_day must be a number'],
    [{ allowed_countries: [] }, 'Invalid allowed_countries. Must be ISO 3166 two-letter codes'],
    [{ allowed_countries: ['us'] }, 'Invalid allowed_countries. Must be ISO 3166 two-letter codes'],
    [{ allowed_countries: 'US' }, 'allowed_countries must be an array'],
    [{ message_days: 1.5 }, 'message_days must be a whole number from 0 to 36500'],
  ] as const) {
    it(`400 ${error} for the settings ${JSON.stringify(body)}`, async () => {
      const answer = await put(body);
      assert.deepEqual([answer.status, answer.body.error], [400, error]);
    });
  }

  it('401 for the settings of a workspace with an API key', async () => {
    assert.equal((await app.call('GET', path, { key: account.key })).status, 401);
  });

  describe('allowed_countries', () => {
    beforeEach(async () => {
      await put({ allowed_countries: ['DE', 'GB'] });
    });
    it('201 for a send to each country that a refusal can name, once it is allowed', async () => {
      await put({ allowed_countries: ['XK', 'AC', 'TA'] });
      for (const to of ['+38344123456', '+24762889', '+2908999']) {
        assert.equal((await send({ to, channel: 'sms', content: { text: 'x' } })).status, 201, to);
      }
    });

    for (const [to, country] of [
      ['+15551234567', 'US'],
      ['+14165550123', 'CA'],
      ['+18765550123', 'JM'],
      ['+447781123456', 'GG'],
      ['+38344123456', 'XK'],
      ['+77012345678', 'KZ'],
      ['+881612345678', '+881'],
    ] as const) {
      it(`400 for a send: Sending to ${country} is not allowed`, async () => {
        const { status, body } = await send({ to, channel: 'sms', content: { text: 'x' } });
        const message = `Sending to ${country} is not allowed`;
        assert.deepEqual([status, body.code, body.details], [400, 'validation_failed', [{ field: 'to', message }]]);
      });
    }
    it('201 for sends to allowed countries, and by e-mail', async () => {
      for (const to of ['+4915112345678', '+447400123456']) {
        assert.equal((await send({ to, channel: 'whatsapp', content: { text: 'x' } })).status, 201);
      }
      assert.equal((await send({ to: 'ada@example.com', channel: 'email', content: { text: 'x' } })).status, 201);
    });
    it('400 for a country that is not allowed names the fallback step and the contact', async () => {
      const step = { channel: 'sms', to: '+15551234567', after: 60 };
      const email = { to: 'ada@example.com', channel: 'email', content: { text: 'x' }, fallback: [step] };
      const { details } = (await send(email)).body;
      assert.equal(details[0].field, 'fallback[0].to');
      const previewed = await app.call('POST', '/api/v1/messages/preview', { key: account.key, body: email });
      assert.deepEqual(previewed.body.data.messages[0].errors, details);
      assert.equal(previewed.body.data.fallback.credits_max, 0);
      const { body } = await app.call('POST', '/api/v1/contacts', { key: account.key, body: { phone: '+15551234567' } });
      const refused = await send({ contact_id: body.data.contact.id, channel: 'sms', content: { text: 'x' } });
      assert.deepEqual([refused.status, refused.body.details[0].field], [400, 'contact_id']);
    });
    it('400 for a country that is not allowed names the recipients in bulk sends and previews', async () => {
      const recipients = ['+4915112345678', '+15551234567', { to: '+15551234568', variables: { name: 'x' } }, '+4915112345679'];
      const body = { channel: 'sms', content: { text: 'x' }, recipients };
      const refused = await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body });
      const message = 'Sending to US is not allowed';
      assert.deepEqual(
        [refused.status, refused.body.details],
        [400, [1, 2].map((index) => ({ field: `recipients[${index}].to`, message }))],
      );
      const { status, body: some } = await app.call('POST', '/api/v1/messages/bulk', {
        key: account.key,
        body: { ...body, on_invalid: 'skip' },
      });
      const { accepted, invalid, credits_used } = some.data.batch;
      assert.deepEqual([status, accepted, invalid, credits_used], [201, 2, 2, 2]);
      const preview = await app.call('POST', '/api/v1/messages/preview', { key: account.key, body });
      assert.deepEqual(
        preview.body.data.messages.map(({ errors, credits }: { errors: object[]; credits: number }) => [errors.length, credits]),
        [
          [0, 1],
          [1, 0],
          [1, 0],
          [0, 1],
        ],
      );
      const single = { to: '+15551234567', channel: 'sms', content: { text: 'x' } };
      const previewed = await app.call('POST', '/api/v1/messages/preview', { key: account.key, body: single });
      const { messages, credits } = previewed.body.data;
      assert.deepEqual([messages[0].errors, messages[0].credits, credits], [[{ field: 'to', message }], 0, 0]);
    });
    it('201 for a repeated send after its country was removed from the allowed ones', async () => {
      const headers = { 'Idempotency-Key': account.workspaceId };
      const body = { to: '+4915112345678', channel: 'sms', content: { text: 'x' } };
      await app.call('POST', '/api/v1/messages/send', { key: account.key, body, headers });
      await put({ allowed_countries: ['US'] });
      assert.equal((await app.call('POST', '/api/v1/messages/send', { key: account.key, body, headers })).status, 201);
    });
  });
});
