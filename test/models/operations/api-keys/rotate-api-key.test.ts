import assert from 'node:assert/strict';
import { rotateApiKey } from '../../../../models/operations/api-keys/rotate-api-key.js';
import { ApiKey, apiKeyColumns } from '../../../../models/tables/api-key.js';
import { byTest } from '../../../support/by-test.js';
import { testConfig } from '../../../support/config.js';
import { workspaceForEach } from '../../../support/for-each.js';

/** What a rotation does not copy: the new key has its own. */
const ownOfEach = ['id', 'digest', 'key_prefix', 'is_active', 'last_used_at', 'last_used_address', 'expires_at', 'created_at'];

describe('rotateApiKey', () => {
  const test = workspaceForEach();

  it('a rotated key has every column of the former one, except those that each key has for itself', async () => {
    const config = testConfig();
    const { row: former } = await ApiKey.issue(config.secretKey, {
      workspace_id: test.workspaceId,
      name: 'Shop',
      scopes: ['read_messages'],
      allowed_addresses: ['203.0.113.0/24'],
      channels: ['sms'],
    });
    const { row } = await rotateApiKey(test.db, config, { workspaceId: test.workspaceId, id: former.id, overlapHours: 1 }, byTest);
    const copied = (Object.keys(apiKeyColumns) as (keyof typeof apiKeyColumns)[]).filter((name) => !ownOfEach.includes(name));
    for (const name of copied) {
      assert.ok(former[name] ?? false, `${name}: give it a value above, or add it to ownOfEach`);
      assert.deepEqual(row[name], former[name], `${name}: add it to chosenColumns, or to ownOfEach`);
    }
  });
});
