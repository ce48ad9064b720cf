/** The state of the local payment provider, stored in DATA_DIR, so that sessions and events survive a restart. */
import { readState, writeState } from '../plan/state-file.js';
import type { LocalSession } from './session.js';

/** An event that has not been acknowledged yet. */
export interface LocalEvent {
  id: string;
  type: string;
  created: number;
  sessionId: string;
  object: Record<string, unknown>;
}

interface State {
  sessions: LocalSession[];
  events: LocalEvent[];
}

/** How many sessions are kept. Older ones are deleted. */
const sessionsMax = 200;

export class CheckoutBook {
  readonly #state: State;

  constructor(private readonly path: string) {
    this.#state = readState<State>(path) ?? { sessions: [], events: [] };
  }

  /** Newest first. */
  get sessions(): readonly LocalSession[] {
    return this.#state.sessions;
  }

  get events(): readonly LocalEvent[] {
    return this.#state.events;
  }

  session(id: string): LocalSession | undefined {
    return this.#state.sessions.find((session) => session.id === id);
  }

  sessionUnder(idempotencyKey: string | null): LocalSession | undefined {
    return idempotencyKey === null ? undefined : this.#state.sessions.find((session) => session.idempotencyKey === idempotencyKey);
  }

  add(session: LocalSession): void {
    this.#state.sessions = [session, ...this.#state.sessions].slice(0, sessionsMax);
    this.#save();
  }

  /** Changes a session, and stores the event about the change together with it. */
  change(session: LocalSession, change: Partial<LocalSession>, eventOf: (changed: LocalSession) => LocalEvent): LocalEvent {
    const event = eventOf(Object.assign(session, change));
    this.#state.events.push(event);
    this.#save();
    return event;
  }

  acknowledged(event: LocalEvent): void {
    this.#state.events = this.#state.events.filter(({ id }) => id !== event.id);
    this.#save();
  }

  #save(): void {
    writeState(this.path, this.#state);
  }
}
