/** The state of the local payment provider, stored in DATA_DIR, so that sessions and events survive a restart. */
import { readState, writeState } from '../state/state-file.js';
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

export class CheckoutStore {
  #state: State;

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
    this.#save({ ...this.#state, sessions: [session, ...this.#state.sessions].slice(0, sessionsMax) });
  }

  /** Changes a session, and stores the event about the change together with it. */
  change(session: LocalSession, change: Partial<LocalSession>, eventOf: (changed: LocalSession) => LocalEvent): LocalEvent {
    const changed = { ...session, ...change };
    const event = eventOf(changed);
    const sessions = this.#state.sessions.map((each) => (each.id === session.id ? changed : each));
    this.#save({ sessions, events: [...this.#state.events, event] });
    return event;
  }

  acknowledged(event: LocalEvent): void {
    this.#save({ ...this.#state, events: this.#state.events.filter(({ id }) => id !== event.id) });
  }

  /** @throws StartError with the old state unchanged, in memory too */
  #save(state: State): void {
    writeState(this.path, state);
    this.#state = state;
  }
}
