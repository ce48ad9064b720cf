import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StreamHub } from '../../../api/stream/stream-hub.js';
import { Viewer, type ViewerOptions } from '../../../api/stream/viewer.js';
import type { Database } from '../../../models/db/database.js';
import type { Logger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';

const position = { at: new Date(), seen: '1:1:', reading: null };
const options: ViewerOptions = {
  id: 'viewer',
  workspaceId: 'workspace',
  keyId: null,
  token: null,
  position,
  isReset: false,
  since: new Date(),
};
const audience = { add: () => undefined, remove: () => undefined, ready: () => undefined };

describe('the viewer of a stream', () => {
  it('a page that was read for a stream that has ended is not written, which would end the process', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const errors: Error[] = [];
    response.on('error', (error) => errors.push(error));
    const viewer = new Viewer(audience, options);
    viewer.begin(response);
    viewer.end();
    viewer.write(Buffer.from('data: {}\n\n'));
    viewer.reset(position);
    await nextTurn(); // a response emits its error in the next tick
    assert.deepEqual(errors, []);
  });

  it('a stream whose events cannot be read is logged once, not at each try', async () => {
    const lines: string[] = [];
    const logger = { warn: (_fields: object, text: string) => lines.push(text) } as unknown as Logger;
    let failed = 0;
    const hub = new StreamHub(
      databaseOf(() => (failed += 1)),
      logger,
      { consoleIdleHours: 1 },
    );
    hub.viewer(options).begin(new PassThrough().resume());
    await until(() => failed === 3, 'three tries');
    await hub.close();
    assert.deepEqual(
      lines.filter((text) => text.startsWith('a stream')),
      ['a stream cannot read its events'],
    );
  });
});

/** A database that answers the rounds of a hub, and cannot read the events of a viewer that is behind. */
function databaseOf(fail: () => void): Database {
  const query = (sql: string, _bind: unknown[], done: (error: unknown, result?: object) => void) => {
    if (sql.includes('pg_current_snapshot()')) return done(null, { rows: [{ at: new Date(), until: '2:2:', seq: null }] });
    if (sql.includes('min(seq)')) fail();
    done('away');
  };
  const connectionManager = { getConnection: () => Promise.resolve({ query }), releaseConnection: () => undefined };
  return { connectionManager } as unknown as Database;
}
