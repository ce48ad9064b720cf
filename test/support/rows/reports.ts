/** The operations on hand-offs and reports, with the key of the tests for the digests of erased names. */
import { forEachChannel } from '../../../models/channels.js';
import type { Database } from '../../../models/db/database.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import * as givingUp from '../../../models/operations/handoff/give-up.js';
import * as handoffs from '../../../models/operations/handoff/record-handoffs.js';
import type { GroupWork } from '../../../models/operations/messages/count-group-work.js';
import * as applying from '../../../models/operations/reports/apply-reports.js';
import type { OpenWork } from '../../../models/operations/reports/close-if-done.js';
import * as recording from '../../../models/operations/reports/record-reports.js';
import type { IncomingReport } from '../../../models/rules/callbacks/callback.js';
import { testConfig } from '../config.js';

const { secretKeys } = testConfig();

/** The key that a service of the tests uses. */
export const testKey = (db: Database): Promise<Buffer> => erasureKey(db, secretKeys);

export const recordHandoffs = async (db: Database, results: handoffs.HandoffResult[]): Promise<void> =>
  handoffs.recordHandoffs(db, results, await testKey(db));

export const recordReports = async (db: Database, reports: IncomingReport[]): Promise<recording.Wake[]> =>
  recording.recordReports(db, reports, await testKey(db));

export const applyReports = async (db: Database, groupId: string): Promise<GroupWork> =>
  applying.applyReports(db, groupId, { key: await testKey(db) });

/** All messages of a group, however long they have waited for their reports. */
export const everOverdue = { at: null, timeoutSeconds: forEachChannel(() => 0) };

export const giveUpOnReports = (db: Database, groupId: string): Promise<OpenWork> => givingUp.giveUpOnReports(db, groupId, everOverdue);
