/** The operations of the hand-off and of reports. */
import type { HandoffResult } from '../../models/operations/handoff/record-handoffs.js';
import { suppressedCode } from '../../models/rules/contacts/suppression.js';
import { acceptedAs, claimAll, giveUpNow, reportOf, sandboxEverywhere } from '../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports } from '../support/rows/reports.js';
import { type Draw, groupWith, type Setting, short } from './drawing.js';
import type { Random } from './random.js';
import { messagesOf, type Outcome, outcomes, type WorldMessage } from './world.js';

function resultOf({ id, providerId }: WorldMessage, attempt: number, outcome: Outcome): HandoffResult {
  const base = { id, attempt, provider: 'sandbox' };
  if (outcome === 'accepted') return acceptedAs(base, providerId);
  if (outcome === 'rejected') return { ...base, outcome, error_code: '30008', error_message: 'Unknown destination' };
  if (outcome === 'suppressed') return { ...base, outcome: 'rejected', error_code: suppressedCode, error_message: 'On the list' };
  return { ...base, outcome, detail: 'why' };
}

const claim: Draw = (setting) => {
  const group = groupWith(setting, 'queued', 'claimed', 'proven', 'retried');
  if (group === null) return null;
  const { groupId, batchId } = group[0] as WorldMessage;
  const run = async () => {
    const claims = await claimAll(setting.db, groupId, sandboxEverywhere, { inBatch: batchId !== null });
    setting.facts.claims.push(...claims);
  };
  return { name: `claimHandoffs ${short(groupId)}`, run };
};

/** A round as a worker does it: claims, calls, records. */
const round: Draw = (setting) => {
  const group = groupWith(setting, 'queued', 'claimed', 'proven', 'retried');
  if (group === null) return null;
  const { groupId, batchId } = group[0] as WorldMessage;
  const drawn = group.map(() => setting.random.pick(outcomes));
  const order = setting.random.shuffled(group);
  const run = async () => {
    const claims = await claimAll(setting.db, groupId, sandboxEverywhere, { inBatch: batchId !== null });
    setting.facts.claims.push(...claims);
    const results = order.flatMap((message, index) => {
      const claimed = claims.find(({ id }) => id === message.id);
      return claimed === undefined ? [] : [resultOf(message, claimed.attempt, drawn[index] as Outcome)];
    });
    await recordHandoffs(setting.db, results);
  };
  return { name: `handOff ${short(groupId)}`, run };
};

/** The answers to the calls that were under way when the schedule began. */
const record: Draw = (setting) => {
  const { db, random } = setting;
  const group = groupWith(setting, 'claimed', 'proven');
  if (group === null) return null;
  const claimed = random.shuffled(group.filter(({ stage }) => stage === 'claimed' || stage === 'proven'));
  const results = claimed.map((message) => resultOf(message, 1, message.answer));
  const told = results.map(({ id, outcome }) => `${short(id)}=${outcome}`);
  return { name: `recordHandoffs ${told}`, run: () => recordHandoffs(db, results) };
};

const reported: Readonly<Partial<Record<WorldMessage['stage'], true>>> = {
  claimed: true,
  proven: true,
  sent: true,
  reported: true,
  delivered: true,
};

/** Whether a carrier echoes our id in its reports is the same for all of them. */
const report: Draw = ({ db, world, random, facts }) => {
  const known = messagesOf(world).filter(({ stage }) => reported[stage] === true);
  if (known.length === 0) return null;
  const chosen = random.shuffled(known).slice(0, 1 + random.below(4));
  const reports = chosen.map((message) => reportOfDrawn(message, world.echoes, random));
  const told = reports.map(({ status }, index) => `${short(chosen[index]?.id)}=${status}`);
  return { name: `recordReports ${told}`, run: async () => facts.wakes.push(...(await recordReports(db, reports))) };
};

function reportOfDrawn({ id, providerId }: WorldMessage, echoes: boolean, random: Random) {
  const status = random.pick(['sent', 'delivered', 'failed'] as const);
  const echo = echoes ? {} : { message_id: null };
  return reportOf({ id, provider_message_id: providerId }, status, { ...echo, occurred_at: new Date(0) });
}

const ofGroup =
  (name: string, stages: WorldMessage['stage'][], run: (setting: Setting, groupId: string) => Promise<unknown>): Draw =>
  (setting) => {
    const group = groupWith(setting, ...stages);
    if (group === null) return null;
    const groupId = group[0]?.groupId ?? '';
    return { name: `${name} ${short(groupId)}`, run: () => run(setting, groupId) };
  };

/** After `giveUpOnHandoffs` the workflow looks into the inbox once more; after these it ends. */
const noteEnd = ({ facts }: Setting, groupId: string, { open }: { open: number }) => {
  if (open === 0) facts.ended.push(groupId);
};

export const handoffOperations: Readonly<Record<string, Draw>> = {
  'claim-handoffs': claim,
  'hand-off': round,
  'record-handoffs': record,
  'record-reports': report,
  'apply-reports': ofGroup('applyReports', ['reported', 'sent', 'claimed', 'proven'], async (setting, groupId) =>
    noteEnd(setting, groupId, await applyReports(setting.db, groupId)),
  ),
  'give-up-handoffs': ofGroup('giveUpOnHandoffs', ['queued', 'claimed', 'proven', 'retried'], (setting, groupId) =>
    giveUpNow(setting.db, groupId),
  ),
  'give-up-reports': ofGroup('giveUpOnReports', ['sent', 'reported'], async (setting, groupId) =>
    noteEnd(setting, groupId, await giveUpOnReports(setting.db, groupId)),
  ),
};
