/** `tidings listen` with a service and a local receiver. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { freePort } from '../support/network/free-port.js';
import { verifyWebhook } from '../../verify/verify-webhook.js';
import { type Account, restClient, until } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { type Running, startCommand } from './run-command.js';

describe('the command tidings listen', () => {
  let service: Service;
  let account: Account;
  let receiver: Server;
  let url: string;
  let running: Running | undefined;
  let status = 204;
  const bodies: { body: string; headers: Record<string, string> }[] = [];
  before(async () => {
    service = await startService({ isHere: true });
    account = await restClient(service.url).signUp();
    receiver = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push({ body, headers: request.headers as Record<string, string> });
        response.writeHead(status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterEach(() => running?.process.kill('SIGKILL'));
  after(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await service.stop();
  });

  const listen = async (forward: string, ...more: string[]) => {
    const env = { TIDINGS_API_KEY: account.apiKey, TIDINGS_URL: service.url };
    running = startCommand(['listen', '--forward', forward, ...more], env);
    const { stderr } = running;
    await until(() => stderr().includes(`listening to ${service.url}, posting to ${forward}\n`), 'it listens');
    return running;
  };
  const send = () => restClient(service.url).send(account);

  it('the command tidings listen forwards events to a local receiver, signed as webhooks are', async () => {
    const listening = await listen(url, '--events', 'message.queued,message.delivered');
    const [, secret = ''] = /^secret: (whsec_\S+)$/m.exec(listening.stderr()) ?? [];
    const { id } = await send();
    await until(() => bodies.length === 2, 'both events arrive');
    const events = bodies.map(({ body, headers }) => verifyWebhook(body, headers, secret));
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.message_id]),
      [
        ['message.queued', id],
        ['message.delivered', id],
      ],
    );
    for (const { body, headers } of bodies) new StandardWebhook(secret).verify(body, headers);
    assert.notEqual(events[0]?.id, events[1]?.id);
    await until(() => /message\.delivered .* 204 \d+ ms\n/.test(listening.stdout()), 'it says what the receiver answered');
    listening.process.kill('SIGINT');
    assert.equal(await listening.ended, 130);
  });

  it('the command tidings listen says once what to do about a receiver that refuses the signature', async () => {
    status = 403;
    const listening = await listen(url);
    await send();
    await until(() => /message\.delivered .* 403 \d+ ms\n/.test(listening.stdout()), 'each event is refused');
    assert.equal(listening.stderr().split(`→ ${url}: the receiver refuses the signature`).length, 2);
  });

  it('the command tidings listen says that nothing listens on a closed port', async () => {
    const closed = `http://127.0.0.1:${await freePort()}/hook`;
    const listening = await listen(closed);
    await send();
    await until(() => /message\.queued .* ECONNREFUSED\n/.test(listening.stdout()), 'it says the error');
    await until(() => listening.stderr().includes(`→ ${closed}: nothing listens there`), 'it says what to do');
  });

  it('the command tidings listen shows no secret before the key is accepted', async () => {
    running = startCommand(['listen', '--forward', url], { TIDINGS_API_KEY: 'tidings_wrong', TIDINGS_URL: service.url });
    assert.equal(await running.ended, 1);
    assert.match(running.stderr(), /^Invalid API key\n/);
  });

  it('the command tidings listen ends with an error and without a secret at an address that is not that of the API', async () => {
    const env = { TIDINGS_API_KEY: account.apiKey, TIDINGS_URL: `${service.url}/console` };
    running = startCommand(['listen', '--forward', url], env);
    assert.equal(await running.ended, 1);
    assert.match(running.stderr(), /^The response is not a stream\. Check baseUrl\n$/);
  });
});
