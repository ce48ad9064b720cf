import assert from 'node:assert/strict';
import { useApiStarts } from '../use-api.js';

const path = '/.well-known/security.txt';

describe('security.txt', () => {
  const startApi = useApiStarts();

  it('200 for security.txt with the contact of the operator and an expiry within a year', async () => {
    const app = await startApi({ SECURITY_CONTACT: 'mailto:security@example.test' });
    const response = await fetch(`${app.url}${path}`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    const fields = Object.fromEntries(
      (await response.text())
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    assert.equal(fields.Contact, 'mailto:security@example.test');
    const days = (Date.parse(fields.Expires ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 90 && days < 365, `${days} days`);
  });

  it('404 for security.txt without a contact in the settings', async () => {
    const app = await startApi();
    assert.equal((await fetch(`${app.url}${path}`)).status, 404);
  });
});
