/** The client of Temporal while nothing answers: its errors are for the log of an operator. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { connectTemporal, type Temporal } from '../../../api/outside/temporal.js';
import { testConfig } from '../../support/config.js';

describe('the error of a call of Temporal', () => {
  let server: Server;
  let temporal: Temporal;
  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Takes connections, and never says a word. */
  beforeEach((done) => void (server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1', done)));
  beforeEach(() => {
    temporal = connectTemporal(testConfig({ TEMPORAL_ADDRESS: address(), ACCEPT_TIMEOUT_MS: '300' }));
  });
  afterEach(() => temporal.close());
  afterEach(() => void server.close());
  const accept = () =>
    temporal.accept({
      groupId: 'g',
      workflowId: 'w',
      channel: 'sms',
      messages: [{ messageId: 'm', workspaceId: 'w', traceparent: null }],
    });
  const stops = async () => {
    await new Promise((resolve) => server.close(resolve));
  };

  it('the error names server and time when a send gets no answer, and keeps the error of the library as its cause', async () => {
    await assert.rejects(accept(), ({ message, cause }: Error) => {
      assert.equal(message, 'Temporal or a worker did not answer within 0.3 s');
      assert.match(String(cause), /Deadline exceeded/);
      return true;
    });
  });

  it('the error names server and time when nothing listens at the address', async () => {
    await stops();
    await assert.rejects(accept(), { message: 'Temporal or a worker did not answer within 0.3 s' });
  });

  it('the error names server and time when a signal gets no answer', async () => {
    await assert.rejects(temporal.wakeRetrier('w', 'w'), { message: 'Temporal did not answer within 2 s' });
  });
});
