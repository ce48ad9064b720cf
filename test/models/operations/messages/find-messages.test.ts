import assert from 'node:assert/strict';
import { type MessageFilter, messagesQuery } from '../../../../models/operations/messages/find-messages.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';

describe('findMessages', () => {
  const test = useDatabase();
  let workspaceId: string;

  /** Copies of a message at other times; every tenth has failed. One in a hundred belongs to the workspace. */
  const fill = async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    const [{ id }, { id: other }] = [await buildQueued(test.db, workspaceId), await buildWorkspace(test.db)];
    const copy = `
      INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object(
        'id', overlay(overlay(m.id::text PLACING lpad(to_hex(n / 65536), 4, '0') FROM 1) PLACING lpad(to_hex(n % 65536), 4, '0') FROM 10),
        'workspace_id', CASE WHEN n % 100 = 0 THEN m.workspace_id ELSE $2::uuid END,
        'to', CASE WHEN n % 3 = 0 THEN m."to" WHEN n % 3 = 1 THEN 'u' || n || '@example.com' ELSE 'U' || n || '@example.com' END,
        'status', CASE WHEN n % 10 = 0 THEN 'failed' ELSE m.status END,
        'failed_at', CASE WHEN n % 10 = 0 THEN now() END))).*
      FROM messages m, generate_series(1, 6000) n WHERE m.id = $1`;
    await rows(test.db, copy, [id, other]);
    await rows(test.db, 'ANALYZE messages');
  };

  it('messages are found by an index for each combination of filters', async () => {
    await fill();
    const since = new Date(0x0000_0000_1000_0000);
    const until = new Date(0x0000_0000_2000_0000);
    const combinations: [filter: MessageFilter, indexes: RegExp[]][] = [
      [{ to: '+15551234567' }, [/messages_to /]],
      [{ to: '+15551234567', workspaceId }, [/messages_to /]],
      [{ to: 'u7@example.com' }, [/messages_to /, /messages_to_lower/]],
      [{ to: 'u7@example.com', error: '30003' }, [/messages_to /, /messages_to_lower/]],
      [{ workspaceId }, [/messages_workspace/]],
      [{ workspaceId, error: '30003', since, until }, [/messages_(workspace|failed)/]],
      [{ error: '30003', since, until }, [/messages_(pkey|failed)/]],
    ];
    for (const [filter, indexes] of combinations) {
      const { sql, bind } = messagesQuery(filter, 51);
      const plan = (await rows<{ 'QUERY PLAN': string }>(test.db, `EXPLAIN ${sql}`, bind)).map((row) => row['QUERY PLAN']).join('\n');
      assert.ok(!plan.includes('Seq Scan'), `${JSON.stringify(filter)}\n${plan}`);
      for (const index of indexes) assert.match(plan, index);
    }
  });
});
