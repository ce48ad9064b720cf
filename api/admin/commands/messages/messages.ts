import { type MessageFilter, findMessages } from '../../../../models/operations/messages/find-messages.js';
import { countText } from '../../../../models/rules/values/text.js';
import { aligned } from '../../aligned.js';
import { type Command, type ParsedArguments, textIn, UsageError } from '../../command.js';
import { requireWorkspace } from '../../require-workspace.js';
import { factsOf, type MessageFacts } from '../../message-facts.js';
import { firstOf, numberIn, periodIn } from '../../read-options.js';

const limits = { default: 50, min: 1, max: 1_000 };
const dayMs = 86_400_000;

export const messagesCommand: Command = {
  name: 'messages',
  takes: [],
  settings: ['DATABASE_URL'],
  options: {
    to: { value: 'ADDRESS', about: 'Only messages to this phone number or e-mail address' },
    workspace: { value: 'WORKSPACE', about: 'Only messages of this workspace' },
    error: {
      value: 'CODE',
      about:
        'Only failed messages with this code of Tidings or of a carrier. Without --to it needs --since: at most 31 days of a workspace, or 1 day',
    },
    since: { value: 'TIME', about: 'Only messages that were created at or after this time' },
    until: { value: 'TIME', about: 'Only messages that were created before this time' },
    limit: { value: 'N', about: `Maximum number of messages (default ${limits.default})` },
  },
  summary: 'Find messages of any workspace by recipient, workspace or error, the newest first. Shows neither recipients nor texts.',
  async run(given, { db }) {
    const limit = numberIn(given, 'limit', limits);
    const filter = filterIn(given);
    const workspace = textIn(given, 'workspace');
    const workspaceId = workspace === undefined ? undefined : (await requireWorkspace(workspace)).id;
    const { messages: found, hasMore } = await findMessages(db, { ...filter, workspaceId }, limit);
    const messages = found.map(factsOf);
    const end = hasMore ? firstOf(messages.length, 'message') : `${countText(messages.length, 'message')}.`;
    return { ok: true, text: [...aligned(messages.map(cellsOf)), end].join('\n'), data: { messages, limit, has_more: hasMore } };
  },
};

/** @throws UsageError for filters that would read too much */
function filterIn(given: ParsedArguments): MessageFilter {
  const [to, error, workspace] = [textIn(given, 'to'), textIn(given, 'error'), textIn(given, 'workspace')];
  if (to === undefined && error === undefined && workspace === undefined) throw new UsageError('Give --to, --workspace or --error');
  const period = periodIn(given);
  if (error !== undefined && to === undefined) assertBounded(period, workspace);
  return { to, error, ...period };
}

/** No index names the code: all messages of the period are read. */
function assertBounded({ since, until }: ReturnType<typeof periodIn>, workspace: string | undefined): void {
  if (since === undefined) throw new UsageError('--error needs --since, unless --to is given');
  const [days, whose] = workspace === undefined ? [1, 'all workspaces'] : [31, 'a workspace'];
  const end = until?.getTime() ?? Date.now();
  if (end - since.getTime() <= days * dayMs) return;
  throw new UsageError(`--error reads at most ${countText(days, 'day')} of ${whose}: give a later --since, or an earlier --until`);
}

function cellsOf({ id, created_at, workspace_id, channel, status, error_code, provider, credits_used }: MessageFacts): string[] {
  const why = error_code === null ? status : `${status} ${error_code}`;
  const facts = [created_at.toISOString(), id, `workspace ${workspace_id}`, channel, why, provider ?? 'no carrier yet'];
  return [...facts, countText(credits_used, 'credit')];
}
