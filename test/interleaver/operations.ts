/** The operations that are interleaved: each applies to a part of the world, and its name shows which. */
import { type Database, inTransaction } from '../../models/db/database.js';
import { acceptMessages } from '../../models/operations/messages/accept-messages.js';
import { acceptOne } from '../../models/operations/messages/accept-one.js';
import { cancelMessage } from '../../models/operations/messages/cancel-message.js';
import { cancelBatch, cancelPage, pauseBatch, resumeBatch } from '../../models/operations/batches/change-batch.js';
import { completeBatchIfDone } from '../../models/operations/batches/complete-batch-if-done.js';
import { cancelErased } from '../../models/operations/erasure/cancel-erased.js';
import { eraseMessages } from '../../models/operations/erasure/erase-messages.js';
import { eraseRecipient } from '../../models/operations/erasure/erase-recipient.js';
import { fenceBatch } from '../../models/operations/batches/fence-batch.js';
import { fenceMessages } from '../../models/operations/messages/fence-messages.js';
import { insertMessages } from '../../models/operations/messages/insert-messages.js';
import { openPage } from '../../models/operations/batches/open-page.js';
import { credit, takeBack } from '../../models/operations/billing/post-credits.js';
import { suppress } from '../../models/operations/contacts/suppress.js';
import { newMessage } from '../support/rows/factories.js';
import { acceptBatch } from '../support/rows/batches.js';
import { type Draw, short } from './drawing.js';
import type { Facts } from './facts.js';
import { handoffOperations } from './handoff-operations.js';
import { messagesOf, type World } from './world.js';

const acceptGroup: Draw = (setting) => {
  const single = setting.world.groups.filter((group) => group.some(({ stage }) => stage === 'accepting'));
  // A second call, for a group that is decided, must change nothing.
  const group = single.length === 0 || setting.random.chance(0.1) ? setting.random.pick(setting.world.groups) : setting.random.pick(single);
  const groupId = group[0]?.groupId ?? '';
  return {
    name: `acceptMessages ${short(groupId)}`,
    run: async () => setting.facts.accepted.push(...(await acceptMessages(setting.db, groupId)).accepted),
  };
};

const acceptSingle: Draw = (setting) => {
  const group = setting.world.groups.find(([first, ...others]) => others.length === 0 && first?.stage === 'accepting');
  if (group === undefined) return null;
  const groupId = group[0]?.groupId ?? '';
  const run = async () => {
    const accepted = await acceptOne(setting.db, groupId);
    if (accepted !== null) setting.facts.accepted.push(accepted.id);
  };
  return { name: `acceptOne ${short(groupId)}`, run };
};

const fence: Draw = ({ db, world, random, facts }) => {
  const undecided = messagesOf(world).filter(({ stage, batchId }) => stage === 'accepting' && batchId === null);
  if (undecided.length === 0) return null;
  const ids = random.shuffled(undecided.map(({ id }) => id)).slice(0, 1 + random.below(undecided.length));
  return { name: `fenceMessages ${ids.map(short)}`, run: async () => facts.fenced.push(...(await fenceMessages(db, ids))) };
};

const cancel: Draw = ({ db, world, random }) => {
  const { id, workspaceId } = random.pick(messagesOf(world));
  return { name: `cancelMessage ${short(id)}`, run: () => cancelMessage(db, workspaceId, id) };
};

const ofBatch =
  (name: string, run: (db: Database, batch: NonNullable<World['batch']>, workspaceId: string, facts: Facts) => Promise<unknown>): Draw =>
  ({ db, world: { batch, workspaceIds }, facts }) =>
    batch === null ? null : { name, run: () => run(db, batch, workspaceIds[0] ?? '', facts) };

const onPage =
  (name: string, run: (db: Database, groupId: string) => Promise<unknown>): Draw =>
  ({ db, world: { batch }, random }) => {
    if (batch === null || batch.status === 'accepting') return null;
    const groupId = random.pick(batch.pages)[0]?.groupId ?? '';
    return { name: `${name} ${short(groupId)}`, run: () => run(db, groupId) };
  };

const post =
  (name: string, move: (db: Database, workspaceId: string, reference: string) => Promise<void>): Draw =>
  ({ db, world, random }) => {
    const workspaceId = random.pick(world.workspaceIds);
    const reference = random.uuid();
    return { name: `${name} ${short(workspaceId)}`, run: () => move(db, workspaceId, reference) };
  };

const suppressSome: Draw = ({ db, world, random }) => {
  const chosen = random.shuffled(messagesOf(world)).slice(0, 3);
  const entries = chosen.map(({ workspaceId, to }) => ({
    workspace_id: workspaceId,
    channel: 'sms' as const,
    recipient: to,
    reason: 'opt_out' as const,
    source: 'inbound' as const,
  }));
  return { name: `suppress ${chosen.map(({ id }) => short(id))}`, run: () => suppress(db, entries) };
};

const key = Buffer.alloc(32, 1);

const someIds = ({ world, random }: Parameters<Draw>[0]): string[] => {
  const all = messagesOf(world).filter(({ stage }) => stage !== 'accepting');
  return random.shuffled(all.map(({ id }) => id)).slice(0, 1 + random.below(all.length + 1));
};

const erase: Draw = (setting) => {
  const ids = someIds(setting);
  return { name: `eraseMessages ${ids.map(short)}`, run: () => eraseMessages(setting.db, key, ids, null) };
};

const cancelSome: Draw = (setting) => {
  const ids = someIds(setting);
  return { name: `cancelErased ${ids.map(short)}`, run: () => cancelErased(setting.db, ids) };
};

const eraseTo: Draw = ({ db, world, random }) => {
  const { workspaceId, to, id } = random.pick(messagesOf(world));
  return { name: `eraseRecipient of ${short(id)}`, run: () => eraseRecipient(db, key, { workspaceId, recipient: to, at: new Date() }) };
};

/** A new group whose messages bear the keys that another one may bear as well. */
const insert: Draw = ({ db, world, random }) => {
  const groupId = random.uuid();
  const [workspaceId = ''] = world.workspaceIds;
  const messages = random
    .shuffled(world.keys)
    .map((key) => newMessage({ id: random.uuid(), workspace_id: workspaceId, group_id: groupId, idempotency_key: key }));
  return { name: `insertMessages ${short(groupId)}`, run: () => insertMessages(db, { groupId, workflowId: `grp:${groupId}`, messages }) };
};

/** By the name that `--operations` takes. */
export const operations: Readonly<Record<string, Draw>> = {
  'accept-messages': acceptGroup,
  'accept-one': acceptSingle,
  'fence-messages': fence,
  ...handoffOperations,
  'cancel-message': cancel,
  'pause-batch': ofBatch('pauseBatch', (db, { id }, workspaceId) => pauseBatch(db, workspaceId, id)),
  'resume-batch': ofBatch('resumeBatch', (db, { id }, workspaceId) => resumeBatch(db, workspaceId, id)),
  'cancel-batch': ofBatch('cancelBatch', (db, { id }, workspaceId) => cancelBatch(db, workspaceId, id)),
  'cancel-page': onPage('cancelPage', cancelPage),
  'open-page': onPage('openPage', openPage),
  'accept-batch': ofBatch('acceptBatch', async (db, { id, pages }, _, facts) => {
    const { accepted } = await acceptBatch(db, id);
    if (accepted) facts.accepted.push(...pages.flat().map((message) => message.id));
  }),
  'fence-batch': ofBatch('fenceBatch', async (db, { id, pages }, _, facts) => {
    if (await fenceBatch(db, id)) facts.fenced.push(id, ...pages.flat().map((message) => message.id));
  }),
  'complete-batch': ofBatch('completeBatch', (db, { id }) => completeBatchIfDone(db, id)),
  payment: post('credit', (db, workspaceId, reference) =>
    inTransaction(db, (transaction) =>
      credit(db, transaction, workspaceId, { kind: 'purchase', reference, amount: 2_500, description: 'Credit package' }),
    ),
  ),
  'take-back': post('takeBack', (db, workspaceId, reference) =>
    inTransaction(db, (transaction) =>
      takeBack(db, transaction, workspaceId, { reference, amount: 2_500, description: 'Payment taken back' }),
    ),
  ),
  suppress: suppressSome,
  'erase-messages': erase,
  'cancel-erased': cancelSome,
  'erase-recipient': eraseTo,
  'insert-messages': insert,
};
