import assert from 'node:assert/strict';
import { mailKinds } from '../../../../models/rules/accounts/mail-kinds.js';
import { renderMail } from '../../../../models/rules/accounts/mail-texts.js';

const context = { name: 'Acme', publicUrl: 'https://api.example.test', token: 'abc-_123', isVerified: true };

describe('renderMail', () => {
  for (const [kind, path] of [
    ['verify_email', '/verify-email'],
    ['reset_password', '/reset-password'],
  ] as const) {
    it(`a mail of kind ${kind} links to ${path} with its token, in text and HTML`, () => {
      const { text, html } = renderMail(kind, context);
      const url = `https://api.example.test${path}#token=abc-_123`;
      assert.ok(text.includes(url));
      assert.ok(html.includes(`<a href="${url}">${url}</a>`));
    });
  }

  it('a mail without its token has no link', () => {
    const { text, html } = renderMail('verify_email', { ...context, token: undefined });
    assert.doesNotMatch(text + html, /token=|href/);
  });

  it('a mail that advises a reset links to the page that sends one, without a token', () => {
    const advising = [
      'password_changed',
      'email_change_asked',
      'new_api_key',
      'new_login',
      'login_locked',
      'totp_enabled',
      'totp_disabled',
      'recovery_code_used',
    ] as const;
    for (const kind of advising) {
      const { text, html } = renderMail(kind, context);
      const url = 'https://api.example.test/forgot-password';
      assert.ok(text.endsWith(`\n\n${url}\n`), kind);
      assert.ok(html.includes(`<a href="${url}">`));
      assert.doesNotMatch(text + html, /token=/);
    }
  });

  it('a mail that asks for an action links to the screen of the console for it, without a token', () => {
    for (const [kind, screen] of [
      ['low_balance', 'billing'],
      ['webhook_disabled', 'webhooks'],
    ] as const) {
      const { text, html } = renderMail(kind, { ...context, isVerified: false });
      const url = `https://api.example.test/console/${screen}`;
      assert.ok(text.endsWith(`\n\n${url}\n`), kind);
      assert.ok(html.includes(`<a href="${url}">`));
      assert.doesNotMatch(text + html, /token=/);
    }
  });

  it('a mail states the balance or the reason, escaped in HTML', () => {
    const low = renderMail('low_balance', { ...context, detail: { balance: 4_900 } });
    assert.match(low.text, /has 4\.9 credits left/);
    const detail = { url: 'https://x.test/?a=<b>', reason: 'The endpoint returned 410 Gone' };
    const { text, html } = renderMail('webhook_disabled', { ...context, detail });
    assert.ok(text.includes('The webhook https://x.test/?a=<b> was disabled. The endpoint returned 410 Gone.'));
    assert.ok(html.includes('https://x.test/?a=&lt;b&gt; was disabled'));
  });

  it('the mail about a disabled webhook states for how many days its events can be sent', () => {
    const textOf = (body_days: number) => renderMail('webhook_disabled', { ...context, detail: { body_days } }).text;
    assert.match(textOf(30), /Its events are held from now on\. Each can be sent for 30 days\. Activate/);
    assert.match(textOf(1), / Each can be sent for 1 day\. Activate/);
    assert.match(textOf(0), /Its events are held from now on\. Activate/);
  });

  it('a mail to an address that was never verified names a webhook without a link', () => {
    const unverified = { ...context, isVerified: false };
    const url = 'https://your-account-is-locked.evil.example';
    const disabled = renderMail('webhook_disabled', { ...unverified, detail: { url, reason: 'The endpoint returned 410 Gone' } });
    assert.match(disabled.text, /The webhook your-account-is-locked evil example was disabled\./);
    const changed = renderMail('password_changed', { ...unverified, detail: { keys: [], webhooks: [`${url}/x`] } });
    assert.match(changed.text, /These webhooks still receive events: your-account-is-locked evil example x\./);
    for (const { text, html } of [disabled, changed]) assert.doesNotMatch(text + html, /evil\.example|:\/\/your/);
  });

  it('a mail names the address of a login or a new key, if it is known', () => {
    for (const kind of ['new_login', 'new_api_key', 'login_locked', 'totp_enabled', 'totp_disabled', 'recovery_code_used'] as const) {
      assert.match(
        renderMail(kind, { ...context, detail: { address: '203.0.113.7', key: 'one' } }).text,
        / from (the address|a new address:) 203\.0\.113\.7\b/,
      );
      for (const detail of [{}, { address: null }])
        assert.doesNotMatch(renderMail(kind, { ...context, detail }).text, /the address|address:|most recently|undefined|null/);
    }
  });

  it('the mail about a new second factor says who disables one that the owner did not enable', () => {
    assert.match(renderMail('totp_enabled', context).text, /stays enabled after a reset: ask the operator of this service to disable it/);
  });

  it('the mail about a recovery code says how many are left', () => {
    const textOf = (recovery_codes_left: number) => renderMail('recovery_code_used', { ...context, detail: { recovery_codes_left } }).text;
    assert.match(textOf(9), / with a recovery code\. 9 recovery codes are left\./);
    assert.match(textOf(1), / with a recovery code\. 1 recovery code is left\./);
    assert.match(
      textOf(0),
      / with a recovery code\. No recovery code is left: disable the second factor and set it up again to get new ones\./,
    );
  });

  it('the mail after a change of the password lists what still works', () => {
    const textOf = (detail: object) => renderMail('password_changed', { ...context, detail }).text;
    assert.match(
      textOf({ keys: ['one', 'two'], webhooks: [] }),
      /These API keys still work: one, two\.\n\nNone of its webhooks still receive events\./,
    );
    assert.match(textOf({ totp_disabled: true }), /\n\nIts second factor was disabled\. Logins need the password alone from now on\.\n\n/);
    assert.doesNotMatch(textOf({}), /These|None|second factor/);
  });

  it('a mail has one paragraph for each line, and no more', () => {
    const { text, html } = renderMail('workspace_closed', { ...context, token: undefined });
    assert.equal(text.split('\n\n').length, 2);
    assert.deepEqual(
      html.split('\n').map((line) => /^<p>.*<\/p>$/.test(line)),
      [true, true],
    );
    assert.doesNotMatch(text, /http/);
  });

  it('a mail greets by name, escaped in HTML', () => {
    for (const kind of mailKinds) {
      const { subject, text, html } = renderMail(kind, { ...context, name: `<img src=x onerror="a">&'` });
      assert.match(subject, /^[A-Z][\w -]+$/);
      assert.ok(text.startsWith(`Hello <img src=x onerror="a">&',\n`) && text.endsWith('\n'));
      assert.ok(html.includes('Hello &lt;img src=x onerror=&quot;a&quot;&gt;&amp;&#39;,'));
      assert.doesNotMatch(html, /<img/);
    }
  });
});
