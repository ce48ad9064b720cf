// Receives webhooks. Put a proxy with TLS in front; WEBHOOK_SECRETS holds one secret or public key, or several while one replaces another.
import { createServer } from 'node:http';
import { SeenIds, verifyWebhook, WebhookVerificationError } from 'tidings-verify';

function stop(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

const isKey = (text) => /^(whsec_[A-Za-z0-9+/]{22,}={0,2}|whpk_[A-Za-z0-9+/]{43}=)$/.test(text);
const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
if (secrets.length === 0) stop('Set WEBHOOK_SECRETS to the secret of the webhook: whsec_...');
if (!secrets.every(isKey))
  stop('WEBHOOK_SECRETS must be the whole secret (whsec_ and base64) or the public key (whpk_ and base64) of the webhook');
const port = Number(process.env.PORT ?? 8080);
const bytesMax = 1_000_000;
const seen = new SeenIds(); // one process; several need a unique column instead
const handling = new Set();

async function handle({ event, data }) {
  process.stdout.write(`${event} ${data.message_id ?? ''}\n`);
}

async function rawBodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bytesMax) throw new RangeError('body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function receive(request) {
  const webhook = verifyWebhook(await rawBodyOf(request), request.headers, secrets);
  if (handling.has(webhook.id)) throw new Error('it is being handled'); // and may still fail: not acknowledged, so it will come again
  if (!seen.take(webhook.id)) return; // it came before
  handling.add(webhook.id);
  try {
    await handle(webhook);
  } catch (error) {
    seen.giveBack(webhook.id);
    throw error;
  } finally {
    handling.delete(webhook.id);
  }
}

createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(200).end(),
    (error) => {
      const isForged = error instanceof WebhookVerificationError;
      process.stderr.write(`${isForged ? 'refused' : 'failed'}: ${error.message}\n`);
      response.writeHead(isForged ? 403 : 500).end();
    },
  );
}).listen(port, '127.0.0.1', () => process.stderr.write(`listening on http://127.0.0.1:${port}/\n`));
