/** The world of a simulated perfect service: a clock, scheduled actions, the observations from outside, and the books. */
import type { Fact, HistoryRecord } from '../../records.js';
import type { Random } from '../../random.js';
import type { EntryFact, MessageFact, Snapshot, WebhookFact, WorkspaceFact } from '../snapshot.js';

const epoch = 1_800_000_000_000;

export class World {
  readonly history: HistoryRecord[] = [];
  readonly snapshot: Snapshot = {
    at: 0,
    messages: [],
    attempts: [],
    entries: [],
    workspaces: [],
    inbox: [],
    events: [],
    deliveries: [],
    webhooks: [],
    batches: [],
    fallbacks: [],
    transfers: [],
  };
  now = epoch;
  /** The webhooks that are inactive now. */
  readonly inactive = new Set<string>();
  /** The messages whose recipients are suppressed. */
  readonly suppressed = new Set<string>();
  /** For an ordered webhook: when its last event was acknowledged. */
  readonly lineFreeAt = new Map<string, number>();
  private readonly due: { at: number; number: number; act: () => void }[] = [];
  private counted = 0;

  constructor(readonly random: Random) {}

  /** Seconds since the beginning. */
  at = (seconds: number) => epoch + seconds * 1000;

  count = () => (this.counted += 1);
  id = (kind: string) => `${kind}-${this.count()}`;

  see(fact: Fact): void {
    this.history.push({ ...fact, at: this.now });
  }

  /** Schedules an action. */
  after(ms: number, act: () => void): void {
    this.due.push({ at: this.now + ms, number: this.count(), act });
  }

  /** Executes all scheduled actions. */
  run(): void {
    for (;;) {
      const index = this.due.reduce((best, { at, number }, place) => {
        const first = this.due[best];
        return first === undefined || at < first.at || (at === first.at && number < first.number) ? place : best;
      }, 0);
      const [next] = this.due.splice(index, 1);
      if (next === undefined) break;
      this.now = Math.max(this.now, next.at);
      next.act();
    }
    this.snapshot.at = this.now;
  }

  workspace(credits: number): WorkspaceFact {
    const workspace = { id: this.id('workspace'), balance: 0, opening_balance: 0, entry_count: 0, message_count: 0 };
    this.snapshot.workspaces.push(workspace);
    this.post(workspace, 'grant', credits * 1000, 'signup');
    return workspace;
  }

  webhook(workspace: WorkspaceFact, ordered: boolean): WebhookFact {
    const events = ['message.queued', 'message.sent', 'message.delivered', 'message.failed'];
    const webhook = {
      id: this.id('webhook'),
      workspace_id: workspace.id,
      events,
      is_active: true,
      ordered,
      deleted_at: null,
      created_at: this.now,
    };
    this.snapshot.webhooks.push(webhook);
    return webhook;
  }

  /** Posts a movement of credits, in thousandths. */
  post(workspace: WorkspaceFact, kind: EntryFact['kind'], amount: number, reference: string): void {
    workspace.balance += amount;
    workspace.entry_count += 1;
    const { id: workspace_id, balance: balance_after, entry_count: number } = workspace;
    this.snapshot.entries.push({ workspace_id, number, kind, amount, balance_after, reference, created_at: this.now });
  }

  workspaceOf({ workspace_id }: Pick<MessageFact, 'workspace_id'>): WorkspaceFact {
    const workspace = this.snapshot.workspaces.find(({ id }) => id === workspace_id);
    if (workspace === undefined) throw new Error(`no workspace ${workspace_id}`);
    return workspace;
  }
}
