import assert from 'node:assert/strict';
import { provideCheckout } from '../../../local/checkout/provide.js';
import { readPlan } from '../../../local/plan/plan.js';
import type { Launch } from '../../../local/processes/launch.js';

describe('the local checkout', () => {
  it('the local checkout does not start beside a real carrier, whose messages test payments would pay for', async () => {
    const lines: string[] = [];
    const plan = readPlan({ PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://mail.example.com', EMAIL_FROM: 'news@example.com' });
    const output = { note: (line: string) => void lines.push(line), step: () => assert.fail('it starts') };
    assert.equal(await provideCheckout({ plan, output } as unknown as Launch, 'http://127.0.0.1:3000'), undefined);
    assert.match(lines.join('\n'), /^no local checkout: a real carrier is set[^\n]+$/);
  });
});
