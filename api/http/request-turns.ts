/**
 * The order in which requests start. Node accepts one connection in each turn of its event loop, and would start the request of each before it
 * accepts the next: 200 connections of one client would delay a new connection of any other client by the time of 200 requests. Here
 * requests wait while connections arrive, and then start in turn, one of each client.
 */

/** Connections are accepted for this long before requests start, and again after requests have started for this long. */
const phaseMs = 25;
/**
 * No further request starts in a turn of the event loop after this time. The work of started requests goes on between the turns. Requests that
 * arrive together mostly start together, so that their sends share a workflow; with 2 ms a send took 5 % more CPU.
 */
const turnMs = 10;

type Start = () => void;

export class RequestTurns {
  /** The waiting requests by client. The first client is the next one. */
  readonly #waiting = new Map<string, Start[]>();
  #isScheduled = false;
  /** A connection was accepted since the last turn, so others may wait. */
  #hasAccepted = false;
  #phaseBegan = Number.NEGATIVE_INFINITY;
  /** Requests have started since the phase began. Otherwise no new phase begins, also if one turn takes longer than a phase. */
  #hasStarted = true;

  /** Call this for each accepted connection. */
  noteConnection(): void {
    this.#hasAccepted = true;
  }

  /** Starts a request when its turn comes, never at once. The requests of one client start in the order of these calls. */
  add(client: string, start: Start): void {
    const own = this.#waiting.get(client);
    if (own === undefined) this.#waiting.set(client, [start]);
    else own.push(start);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    try {
      if (!this.#acceptsFirst(performance.now())) this.#startSome();
    } finally {
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  /** Whether connections come before requests now. While they never stop, both have the same time. */
  #acceptsFirst(now: number): boolean {
    if (!this.#hasAccepted) return false;
    this.#hasAccepted = false;
    if (this.#hasStarted && now - this.#phaseBegan >= 2 * phaseMs) {
      this.#phaseBegan = now;
      this.#hasStarted = false;
    }
    return now - this.#phaseBegan < phaseMs;
  }

  #startSome(): void {
    const until = performance.now() + turnMs;
    this.#hasStarted = true;
    for (const [client, own] of this.#waiting) {
      this.#waiting.delete(client);
      const start = own.shift();
      // A client with more requests goes to the end of the map. This loop reaches it again there.
      if (own.length > 0) this.#waiting.set(client, own);
      start?.();
      if (performance.now() >= until) return;
    }
  }
}
