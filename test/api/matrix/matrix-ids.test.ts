/** Every operation on one resource gives the same answer for foreign, unknown, malformed and deleted ids. */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { endpoints } from '../../../api/endpoints/index.js';
import { resourcesOf } from '../../../api/openapi/resources.js';
import { notFound } from '../../../models/errors.js';
import { rows } from '../../support/database.js';
import { credentialFor, goodBody, listOf, makeResources, pathWith } from './matrix-cases.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const onOne = endpoints.filter(({ path, auth }) => path.includes('/:') && auth !== 'provider');
const deletable = endpoints.filter(({ method, id, path }) => method === 'delete' && id !== 'deactivateApiKey' && path.includes('/:'));
const malformed = ['x', '1', '%00', "'--", '%F0%9F%98%80', '0'.repeat(300), '00000000-0000-0000-0000-00000000000g'];

describe('every operation on one resource', () => {
  const app = useApi();
  let mine: Account;
  let theirs: Record<string, string>;
  const deleted: Record<string, string> = {};
  let earlier: string;

  /** All that the other workspace has, as text. */
  const stateOf = async (workspaceId: string) => {
    const tables = ['messages', 'batches', 'contacts', 'suppressions', 'webhooks', 'api_keys', 'sessions', 'erasures'];
    const found = await Promise.all(
      tables.map((table) => rows(app.deps.db, `SELECT * FROM ${table} WHERE workspace_id = '${workspaceId}' ORDER BY id`)),
    );
    return JSON.stringify(found.flat().map((row) => ({ ...(row as object), last_used_at: null })));
  };
  let otherId: string;

  before(async () => {
    mine = await app.account();
    const other = await app.account();
    otherId = other.workspaceId;
    theirs = await makeResources(app, other);
    earlier = await stateOf(otherId);
    const own = await makeResources(app, mine);
    for (const item of deletable) {
      const id = own[listOf(item)] ?? '';
      const { status } = await app.call('DELETE', pathWith(item, id), credentialFor(item, mine));
      assert.equal(status, 200);
      deleted[listOf(item)] = id;
    }
    await makeResources(app, mine); // so that no list is empty
  });

  it('the other workspace has a resource for every operation', () => {
    assert.deepEqual(
      [...new Set(onOne.map(listOf))].filter((list) => theirs[list] === undefined),
      [],
    );
  });

  for (const item of onOne) {
    it(`${item.id}: the same answer for foreign, unknown, malformed and deleted ids, and the other workspace is unchanged`, async () => {
      const [name] = resourcesOf(item);
      const ids = [
        theirs[listOf(item)] ?? '',
        uuidv7(),
        ...malformed,
        ...(deleted[listOf(item)] === undefined ? [] : [deleted[listOf(item)] ?? '']),
      ];
      const answers = new Set<string>();
      for (const id of ids) {
        const body = item.body === undefined ? {} : { body: goodBody(item) };
        const answer = await app.call(item.method.toUpperCase(), pathWith(item, id), { ...credentialFor(item, mine), ...body });
        answers.add(JSON.stringify([answer.status, { ...answer.body, request_id: '' }]));
      }
      const { message } = notFound(name);
      assert.deepEqual(
        [...answers],
        [JSON.stringify([404, { success: false, error: message, code: 'not_found', message, request_id: '' }])],
      );
      assert.equal(await stateOf(otherId), earlier);
    });
  }

  it('200 without rows of the other workspace in every list, which counts only its own', async () => {
    for (const item of endpoints.filter(
      ({ query, streams, path, auth }) => query !== undefined && streams === undefined && !path.includes(':') && auth !== 'none',
    )) {
      const { status, body } = await app.call('GET', item.path, credentialFor(item, mine));
      assert.equal(status, 200);
      const text = JSON.stringify(body);
      for (const id of Object.values(theirs)) assert.ok(!text.includes(id), item.id);
      if (body.data.pagination === undefined) continue; // a report without pages
      const { length } = Object.values(body.data).find((value) => Array.isArray(value)) ?? [];
      assert.ok(length > 0, item.id);
      const fullPage = await app.call('GET', `${item.path}?limit=1`, credentialFor(item, mine)); // only then rows are counted
      assert.equal(fullPage.body.data.pagination.total, length, item.id);
    }
  });
});
