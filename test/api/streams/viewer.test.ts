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
    let failed = 0;
    const { hub, lines } = hubWhere((sql) => sql.includes('min(seq)') && (failed += 1) > 0);
    await until(() => failed === 3, 'three tries');
    await hub.close();
    assert.deepEqual(
      lines.filter((text) => text.startsWith('a stream')),
      ['a stream cannot read its events: its viewer gets them later'],
    );
  });

  it('streams that cannot read events are logged once, and again when they read', async () => {
    let tries = 0;
    const { hub, lines } = hubWhere((sql) => sql.includes('pg_current_snapshot()') && (tries += 1) < 3);
    await until(() => lines.includes('streams read events again'), 'a round has succeeded');
    await hub.close();
    assert.deepEqual(
      lines.filter((text) => text.startsWith('streams')),
      ['streams cannot read events: viewers get them later', 'streams read events again'],
    );
  });
});

/** A hub with a viewer that is behind, and the lines of its log. */
function hubWhere(isAway: (sql: string) => boolean): { hub: StreamHub; lines: string[] } {
  const lines: string[] = [];
  const logger = {
    warn: (_fields: object, text: string) => lines.push(text),
    info: (text: string) => lines.push(text),
  } as unknown as Logger;
  const hub = new StreamHub(databaseOf(isAway), logger, { consoleIdleHours: 1 });
  hub.viewer(options).begin(new PassThrough().resume());
  return { hub, lines };
}

/** A database that answers the rounds of a hub unless it is away, and cannot read the events of a viewer that is behind. */
function databaseOf(isAway: (sql: string) => boolean): Database {
  const query = (sql: string, _bind: unknown[], done: (error: unknown, result?: object) => void) => {
    if (isAway(sql) || sql.includes('min(seq)')) return done('away');
    done(null, { rows: [{ at: new Date(), until: '2:2:', seq: null, ref: options.id }] }); // the credential of the viewer is valid
  };
  const connectionManager = { getConnection: () => Promise.resolve({ query }), releaseConnection: () => undefined };
  return { connectionManager } as unknown as Database;
}
