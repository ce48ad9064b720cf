/** Code that verifies a request, to copy. It follows docs/webhooks.md, and a test runs it. */
import { CopyBlock } from '../../parts/copy.js';

const node = `// npm install standardwebhooks
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  try {
    const event = webhook.verify(Buffer.concat(chunks), req.headers);
    console.log(event);
    res.writeHead(204).end();
  } catch {
    res.writeHead(403).end();
  }
}).listen(process.env.PORT ?? 8080);
`;

const python = `# pip install standardwebhooks
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from standardwebhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            print(webhook.verify(body, {k.lower(): v for k, v in self.headers.items()}))
            self.send_response(204)
        except Exception:
            self.send_response(403)
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
`;

export function Verification() {
  return (
    <section aria-labelledby="verification">
      <h2 id="verification">Verify requests</h2>
      <p>
        Put the secret into the variable <code>WEBHOOK_SECRET</code> of your program. These receivers check the signature of every request,
        and refuse what is not genuine.
      </p>
      <h3>Node</h3>
      <CopyBlock value={node} label="the receiver for Node" />
      <details>
        <summary>Python</summary>
        <CopyBlock value={python} label="the receiver for Python" />
      </details>
    </section>
  );
}
