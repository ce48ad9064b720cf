import assert from 'node:assert/strict';
import { shownOfReport } from '../../../../models/rules/callbacks/shown-fields.js';

const shown = (kind: Parameters<typeof shownOfReport>[0], report: unknown) => JSON.parse(shownOfReport(kind, JSON.stringify(report)));

describe('what a workspace sees of a report', () => {
  it('a report of Amazon SES is shown without account and address of the sender', () => {
    const report = {
      eventType: 'Bounce',
      mail: {
        messageId: 'm-1',
        timestamp: '2026-01-01T00:00:00Z',
        destination: ['ada@example.com'],
        source: 'us@example.com',
        sourceArn: 'arn:aws:ses:eu-west-1:123456789012:identity/example.com',
        sourceIp: '203.0.113.7',
        sendingAccountId: '123456789012',
        callerIdentity: 'root',
        tags: { 'ses:caller-identity': ['root'], 'ses:source-ip': ['203.0.113.7'] },
      },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        reportingMTA: 'dns; a1.smtp-out.amazonses.com',
        bouncedRecipients: [{ emailAddress: 'ada@example.com', action: 'failed', status: '5.1.1', diagnosticCode: 'unknown user' }],
      },
    };
    assert.deepEqual(shown('ses', report), {
      eventType: 'Bounce',
      mail: { messageId: 'm-1', timestamp: '2026-01-01T00:00:00Z', destination: ['ada@example.com'] },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [{ emailAddress: 'ada@example.com', action: 'failed', status: '5.1.1', diagnosticCode: 'unknown user' }],
      },
    });
  });
  it('a report of Twilio is shown without the SID of the account', () => {
    const form = {
      MessageSid: 'SM1',
      MessageStatus: 'failed',
      ErrorCode: '30005',
      AccountSid: 'AC1',
      MessagingServiceSid: 'MG1',
      From: '+1555',
    };
    assert.deepEqual(shown('twilio', form), { MessageSid: 'SM1', MessageStatus: 'failed', ErrorCode: '30005' });
  });
  it('a field of a report is left out if it has an object in place of a value', () => {
    assert.deepEqual(shown('twilio', { MessageSid: { AccountSid: 'AC1' }, To: [{ a: 1 }] }), { To: [] });
  });
  it('a report of a removed account, or without valid JSON, shows nothing', () => {
    assert.equal(shownOfReport(undefined, '{"status":"sent"}'), '{}');
    assert.equal(shownOfReport('meta', 'status=sent'), '{}');
  });
});
