import { Message, type MessageRow } from '../../models/tables/message.js';
import { fenceMessages } from '../../models/operations/messages/fence-messages.js';
import { workflowIds } from '../../workflows/contract.js';
import { costError } from '../auth/sending-rules.js';
import type { Temporal } from '../outside/temporal.js';
import { type DecisionDeps, type Decisions, decide } from './decision.js';

export type MessageDecisionDeps = DecisionDeps & { temporal: Temporal };

/**
 * Decides on the messages of one group; see `decide`.
 * @param rows messages of one group, stored as `accepting`
 */
export async function decideMessages(deps: MessageDecisionDeps, rows: readonly MessageRow[], fallbackAfterMs?: number): Promise<Decisions> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const { group_id: groupId, channel } = first;
  const workflowId = workflowIds.group(first);
  const messages = rows.map(({ id, workspace_id, traceparent }) => ({ messageId: id, workspaceId: workspace_id, traceparent }));
  return decide(deps, rows, {
    workflowId,
    ask: async () => {
      const { accepted, refused = {} } = await deps.temporal.accept({ groupId, workflowId, channel, messages, fallbackAfterMs });
      return {
        accepted,
        reasons: new Map(rows.map(({ id, cost }) => [id, refused[id] === undefined ? null : costError(cost, refused[id])])),
      };
    },
    fence: (ids) => fenceMessages(deps.db, ids),
    stored: async (ids) => (await Message.findAll({ attributes: ['id'], where: { id: [...ids] } })).map(({ id }) => id),
  });
}
