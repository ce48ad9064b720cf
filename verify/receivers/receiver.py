"""Receives webhooks; standard library only. Put a proxy with TLS in front; WEBHOOK_SECRETS holds one secret, or several while one replaces another."""

import base64, hashlib, hmac, json, os, sys, threading, time, traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY_BYTES_MIN = 16
TOLERANCE_SECONDS = 300
BYTES_MAX = 1_000_000
SEEN_MAX = 10_000
seen = {}  # the newest ids, oldest first. One process; several need a unique column instead
handling = set()
lock = threading.Lock()  # each request has a thread


def key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not secret.startswith("whsec_") or len(key) < KEY_BYTES_MIN:
        sys.exit("WEBHOOK_SECRETS must be the whole secret of the webhook: whsec_ and base64")
    return key


SECRETS = [key_of(secret) for secret in os.environ.get("WEBHOOK_SECRETS", "").split()]
if not SECRETS:
    sys.exit("Set WEBHOOK_SECRETS to the secret of the webhook: whsec_...")


def handle(event):
    print(event["event"], event["data"].get("message_id", ""), flush=True)


def why_not_ours(headers, body: bytes):
    sent_at = headers.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit()) or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return "webhook-timestamp is missing, or more than 300 s from now"
    signed = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    given = headers.get("webhook-signature", "").encode().split(b" ")
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in SECRETS]
    if any(hmac.compare_digest(one, other) for one in expected for other in given):
        return None
    return "no signature fits: is WEBHOOK_SECRETS the secret of this webhook?"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "0")
        size = int(length) if length.isascii() and length.isdigit() else 0  # below 0 it would read without an end
        body = self.rfile.read(size) if size <= BYTES_MAX else b""
        reason = why_not_ours(self.headers, body)
        if reason is not None:
            print("refused:", reason, file=sys.stderr, flush=True)
            return self.answer(403)
        event_id = self.headers["webhook-id"]
        with lock:
            if event_id in seen:
                return self.answer(200)  # it came before
            if event_id in handling:
                return self.answer(503)  # it may still fail: not acknowledged, so it will come again
            handling.add(event_id)
        status = 200
        try:
            handle(json.loads(body))
            with lock:
                seen[event_id] = True
                if len(seen) > SEEN_MAX:
                    del seen[next(iter(seen))]
        except Exception:
            traceback.print_exc()
            status = 500  # not acknowledged, so it will come again
        finally:
            handling.discard(event_id)  # before the answer: the next attempt may follow at once
        self.answer(status)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


PORT = int(os.environ.get("PORT", "8080"))
try:
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
except OSError as error:
    sys.exit(f"Port {PORT}: {error.strerror}. Set PORT to another one.")
print(f"listening on http://127.0.0.1:{PORT}/", file=sys.stderr, flush=True)
server.serve_forever()
