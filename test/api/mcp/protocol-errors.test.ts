/** Errors of the MCP protocol, whose texts the library would give to clients. */
import assert from 'node:assert/strict';
import { busy } from '../../../models/errors.js';
import { ownErrors } from '../../../api/mcp/protocol-errors.js';
import { rows } from '../../support/database.js';
import { whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';
import { callTool, postMcp, sms, useMcp } from './mcp-client.js';

describe('errors of the MCP server', () => {
  const app = useApi({ env: { MCP: 'on' } });
  const connect = useMcp(() => app.url);

  it('-32602 names the parameters that a client got wrong, without the text of a library', async () => {
    const { key } = await app.account();
    const wrong: [string, object | undefined, string][] = [
      ['tools/call', {}, 'params.name'],
      ['tools/call', { name: 'get_balance', arguments: [] }, 'params.arguments'],
      ['tools/list', { cursor: 7 }, 'params.cursor'],
      [
        'initialize',
        { protocolVersion: 5, capabilities: {}, clientInfo: { name: 'test' } },
        'params.protocolVersion, params.clientInfo.version',
      ],
      ['initialize', undefined, 'params'],
    ];
    for (const [method, params, fields] of wrong) {
      const response = await postMcp(app.url, { 'X-API-Key': key }, { jsonrpc: '2.0', id: 1, method, params });
      const [, json = 'null'] = /^data: (.*)$/m.exec(await response.text()) ?? [];
      const error = { code: -32_602, message: `Invalid parameters of ${method}: ${fields}` };
      assert.deepEqual([response.status, JSON.parse(json)], [200, { jsonrpc: '2.0', id: 1, error }]);
    }
  });

  it('a tool refuses arguments that are nested deeper than the call stack allows with validation_failed', async () => {
    const { key } = await app.account();
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
    for (const name of ['get_balance', 'preview_messages']) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"x":${deep}}}}`;
      const text = await (await postMcp(app.url, { 'X-API-Key': key }, body)).text();
      const [, json = 'null'] = /^data: (.*)$/m.exec(text) ?? [];
      const { isError, content } = JSON.parse(json).result;
      const { code, error } = JSON.parse(content[0].text);
      assert.deepEqual([isError, code, error], [true, 'validation_failed', 'The arguments are nested too deeply'], name);
    }
  });

  it('-32603 does not show its cause, which is logged', () => {
    const message = (text: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: text } });
    const causes: string[] = [];
    assert.equal(
      ownErrors(message('x is undefined'), 'tools/list', (cause) => causes.push(cause)),
      message('Internal server error'),
    );
    assert.deepEqual(causes, ['x is undefined']);
    const result = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: message('a text') }] } });
    assert.equal(
      ownErrors(result, 'tools/call', (cause) => causes.push(cause)),
      result,
    );
    assert.equal(causes.length, 1);
  });

  it('a send by MCP that was refused says why, although its count cannot be given back', async () => {
    const client = await connect({ 'X-API-Key': (await app.account()).key });
    const { preview_token } = (await callTool(client, 'preview_messages', sms)).data;
    const refuse = () => {
      throw busy();
    };
    await rows(
      app.deps.db,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE ON mcp_sends FOR EACH ROW WHEN (NEW.count < OLD.count) EXECUTE FUNCTION refuse()`,
    );
    try {
      const send = () => callTool(client, 'send_message', { ...sms, preview_token });
      assert.equal((await whileReplaced(app.deps.acceptGate, 'enter', refuse, send)).data.code, 'unavailable');
    } finally {
      await rows(app.deps.db, 'DROP TRIGGER refuse ON mcp_sends; DROP FUNCTION refuse()');
    }
  });
});
