/** What a recipient's suppression and erasure guarantee (docs/contract/batches.md, Suppressions; docs/privacy.md). */
import { type Evidence, placeOf } from './evidence.js';
import { brokenRests, restsOf } from './promises.js';
import { type Found, found, type Rule } from './rule.js';
import type { MessageFact } from './snapshot.js';

/** The calls that suppress the recipient of a message. */
const suppressionsFor = ({ suppressionsOf }: Evidence, { workspace_id: workspace, channel, to }: MessageFact) =>
  suppressionsOf.get(placeOf({ workspace, channel, to })) ?? [];

/** A claim looks at the suppression list, so this is as strict for attempts as `pause-holds`. Source: docs/contract/batches.md, Suppressions; decision 0014. */
const suppressionHolds: Rule = {
  name: 'suppression-holds',
  promise:
    'After the response to a suppression or to a STOP, no message to its recipient is claimed, and calls begin only for messages claimed before.',
  check: (evidence) =>
    evidence.snapshot.messages.flatMap((row) => {
      const rests = restsOf(
        suppressionsFor(evidence, row),
        () => true,
        () => false,
      );
      return rests.length === 0 ? [] : brokenRests(evidence, row, rests, 'its recipient was suppressed');
    }),
};

/** The message keeps its row, and the rules about money, events and reports judge it like any other. Source: docs/privacy.md. */
const erasedIsGone: Rule = {
  name: 'erased-is-gone',
  promise: 'When all work is settled, a message whose recipient was erased has no recipient and no text any more.',
  check: (evidence) =>
    evidence.calls
      .filter(({ operation, answer }) => operation === 'erase' && answer?.status === 202)
      .flatMap(({ target = '' }) => (evidence.message.has(target) ? remains(evidence, target) : [])),
};

function remains({ erased, message }: Evidence, id: string): Found[] {
  const row = erased.get(id);
  if (row === undefined) return [found('A message was not erased', id)];
  const isEmpty = row.token === null && row.length === 0 && row.to !== message.get(id)?.to;
  return isEmpty ? [] : [found('An erased message has its text or recipient', id)];
}

export const recipientRules = [suppressionHolds, erasedIsGone];
