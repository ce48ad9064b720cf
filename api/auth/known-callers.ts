/**
 * Remembers which workspace each valid credential belongs to. That never changes, so the rate limiter can count a request for its
 * workspace before the credential is looked up. Whether the credential is still valid is checked in the database for every request.
 */
export class KnownCallers {
  readonly #workspaces = new Map<string, string>();

  /** @param maxSize how many credentials are remembered; the one that was added first is removed first */
  constructor(private readonly maxSize = 20_000) {}

  /** @param name the credential's, see `admit.ts` */
  workspaceOf(name: string): string | undefined {
    return this.#workspaces.get(name);
  }

  remember(name: string, workspaceId: string): void {
    if (this.#workspaces.has(name)) return;
    const [oldest] = this.#workspaces.keys();
    if (this.#workspaces.size >= this.maxSize && oldest !== undefined) this.#workspaces.delete(oldest);
    this.#workspaces.set(name, workspaceId);
  }

  forget(name: string): void {
    this.#workspaces.delete(name);
  }
}
