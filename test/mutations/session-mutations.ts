/** Deliberate faults in streams, in the session of the console and in sends by MCP. */
import type { Mutation } from './mutation.js';

export const sessionMutations: readonly Mutation[] = [
  {
    guards: 'an event whose transaction commits late is shown',
    file: 'models/operations/streams/read-events.ts',
    find: 'NOT pg_visible_in_snapshot(e.streamed_in, ${seen}::pg_snapshot)',
    replace: 'e.streamed_in >= pg_snapshot_xmax(${seen}::pg_snapshot)',
    test: 'api/streams/stream-order',
  },
  {
    guards: 'the first stream waits for statements that saw no viewer',
    file: 'models/operations/streams/open-stream.ts',
    find: 'if (marked.is_recent) await settle(db, marked.xid);',
    replace: '',
    test: 'api/streams/stream-order',
  },
  {
    guards: 'a stream ends with its credential',
    file: 'api/stream/stream-upkeep.ts',
    find: '!live.has(id) || ',
    replace: '',
    test: 'api/streams/stream-end',
  },
  {
    guards: 'a slow stream takes one page of memory',
    file: 'api/stream/stream-hub.ts',
    find: 'if (viewer.isFull) viewer.fallBehind(progress);',
    replace: 'if (false) viewer.fallBehind(progress);',
    test: 'api/streams/slow-viewer',
  },
  {
    guards: 'a session of the console works from its own origin only',
    file: 'api/auth/authenticate.ts',
    find: 'if (!isOwnOrigin(req, publicUrl))',
    replace: 'if (false)',
    test: 'api/accounts/console-origins',
  },
  {
    guards: 'a Bearer token is no session of the console',
    file: 'api/auth/tokens.ts',
    find: 'claims.typ === kind && ',
    replace: '',
    test: 'api/accounts/console-session',
  },
  {
    guards: 'the daily limit of sends by MCP',
    file: 'models/operations/messages/mcp-sends.ts',
    find: 'm.count < $2',
    replace: 'm.count <= $2',
    test: 'api/mcp/mcp',
  },
  {
    guards: 'a send by MCP was previewed',
    file: 'api/mcp/preview-token.ts',
    find: 'given.length === expected.length && timingSafeEqual(given, expected)',
    replace: 'given.length <= expected.length',
    test: 'api/mcp/preview-token',
  },
  {
    guards: 'a link of the launcher works once',
    file: 'models/operations/accounts/use-console-link.ts',
    find: 'if (used.length === 0) return null;',
    replace: '',
    test: 'api/accounts/console-link',
  },
  {
    guards: 'links of the launcher work where the launcher runs only',
    file: 'api/endpoints/console/session.ts',
    find: 'demoReceiver === undefined ? null : ',
    replace: '',
    test: 'api/accounts/console-link',
  },
  {
    guards: 'a portal shows its own webhook only',
    file: 'api/auth/portal.ts',
    find: 'if (id !== caller.webhookId)',
    replace: 'if (id === undefined)',
    test: 'api/webhooks/portal',
  },
  {
    guards: 'a portal is taken by the operations that name it',
    file: 'api/auth/authenticate.ts',
    find: "if (typeof auth === 'object' && auth.portalToo === true)",
    replace: 'if (auth !== undefined)',
    test: 'api/webhooks/portal',
  },
];
