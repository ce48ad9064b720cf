import assert from 'node:assert/strict';
import { Contact } from '../../../models/tables/contact.js';
import { untilLockWait } from '../../support/lock-table.js';
import { useApi } from '../use-api.js';

describe('contacts with faults', () => {
  const app = useApi();
  let jwt: string;
  before(async () => {
    ({ jwt } = await app.account());
  });
  const post = (body: unknown) => app.call('POST', '/api/v1/contacts', { jwt, body });

  const refused: [string, object, string[]][] = [
    ['nothing', {}, ['phone: Missing required field: phone or email']],
    ['a name alone', { name: 'x', phone: null }, ['phone: Missing required field: phone or email']],
    ['a wrong name and no address', { name: 5 }, ['name: name must be a string', 'phone: Missing required field: phone or email']],
    ['a bad phone', { phone: '555' }, ['phone: Phone number must be in E.164 format']],
    ['an empty phone', { phone: '' }, ['phone: Phone number must be in E.164 format']],
    ['a bad address', { email: 'x' }, ['email: Invalid email address']],
    [
      'wrong types',
      { name: 5, phone: 5, email: [], tags: 'x', custom_fields: [] },
      [
        'name: name must be a string',
        'phone: phone must be a string',
        'email: email must be a string',
        'tags: tags must be an array',
        'custom_fields: custom_fields must be an object',
      ],
    ],
    ['a long name', { phone: '+15550000001', name: 'x'.repeat(256) }, ['name: name must be at most 255 characters']],
    ['a long name with white space', { phone: '+15550000001', name: ` ${'x'.repeat(255)}` }, ['name: name must be at most 255 characters']],
    [
      'bad text',
      { phone: '+15550000001', name: 'x\0', tags: ['\ud800'] },
      ['name: name must be valid text', 'tags[0]: tags[0] must be valid text'],
    ],
    [
      'bad tags',
      { phone: '+15550000001', tags: ['', 5, null, 'x'.repeat(65)] },
      [
        'tags[0]: tags[0] must not be empty',
        'tags[1]: tags[1] must be a string',
        'tags[2]: tags[2] must be a string',
        'tags[3]: tags[3] must be at most 64 characters',
      ],
    ],
    [
      '51 tags',
      { phone: '+15550000001', tags: Array.from({ length: 51 }, (_, index) => `${index}`) },
      ['tags: tags must have at most 50 items'],
    ],
    [
      'deep fields',
      { phone: '+15550000001', custom_fields: { a: { b: { c: { d: { e: {} } } } } } },
      ['custom_fields: custom_fields must be at most 5 levels deep'],
    ],
    [
      'large fields',
      { phone: '+15550000001', custom_fields: { a: 'x'.repeat(4096) } },
      ['custom_fields: custom_fields must be at most 4096 bytes'],
    ],
    [
      'bad text in fields',
      { phone: '+15550000001', custom_fields: { a: ['\0'] } },
      ['custom_fields.a[0]: custom_fields.a[0] must be valid text'],
    ],
  ];
  for (const [what, body, expected] of refused) {
    it(`400 for a contact with ${what}`, async () => {
      const answer = await post(body);
      const details = answer.body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);
      assert.deepEqual([answer.status, answer.body.code, details], [400, 'validation_failed', expected]);
      assert.equal(await Contact.count(), 0);
    });
  }

  it('400 for a contact with __proto__ among its custom fields', async () => {
    const answer = await post('{"phone":"+15550000001","custom_fields":{"__proto__":{"x":1}}}');
    assert.deepEqual([answer.status, answer.body.error], [400, 'custom_fields must not have a key __proto__']);
  });

  it('404 for a contact that another request deletes at the same time', async () => {
    const { id } = (await post({ phone: '+15550000002' })).body.data.contact;
    const transaction = await app.deps.db.transaction();
    await Contact.destroy({ where: { id }, transaction });
    const second = app.call('DELETE', `/api/v1/contacts/${id}`, { jwt });
    try {
      await untilLockWait(app.deps.db, 'the request waits for the contact');
    } finally {
      await transaction.commit();
    }
    assert.equal((await second).status, 404);
  });
});
