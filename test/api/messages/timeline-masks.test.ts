import assert from 'node:assert/strict';
import { acceptedAs, claimAll, messageOf, reportOf, sandboxEverywhere } from '../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../support/rows/reports.js';
import { useTimelines } from './use-timelines.js';

describe('reports in the timeline of an e-mail', () => {
  const timelines = useTimelines();
  const { app, timelineOf, stepsOf } = timelines;

  const sendTo = async (to: string) => {
    const body = { to, channel: 'email', content: { subject: 'Hello', text: 'Hello' } };
    const { status, body: answer } = await app.call('POST', '/api/v1/messages/send', { key: timelines.account.key, body });
    assert.equal(status, 201);
    return messageOf(timelines.db, answer.data.message.id);
  };
  /** The report as the timeline shows it. */
  const shownReport = async (to: string) => {
    const { id, group_id } = await sendTo(to);
    const [claim] = await claimAll(timelines.db, group_id, sandboxEverywhere);
    assert.ok(claim);
    await recordHandoffs(timelines.db, [acceptedAs(claim)]);
    const raw = JSON.stringify({ reference: to, status: 'delivered' });
    await recordReports(timelines.db, [reportOf(await messageOf(timelines.db, id), 'delivered', { raw })]);
    await applyReports(timelines.db, group_id);
    const [report] = stepsOf(await timelineOf(id), 'report');
    return report?.details.raw;
  };

  for (const to of ['+*x@example.com', '+e.*.*.*.*.*@example.com', '+{2}|x?^$@example.com']) {
    it(`the timeline masks the recipient ${to}`, async () => {
      assert.equal(await shownReport(to), '{"reference":"+***@example.com","status":"delivered"}');
    });
  }
});
