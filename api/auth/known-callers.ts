/**
 * Whose the credentials are that were good when they were last used. A credential never belongs to another workspace later, so this says
 * what to count it for before it is looked up again; whether it is still good is asked at every request.
 */
export class KnownCallers {
  readonly #workspaces = new Map<string, string>();

  /** @param most credentials that are remembered; the one that was new longest ago is forgotten first */
  constructor(private readonly most = 20_000) {}

  /** The workspace of a credential, named as the limiter counts it. */
  workspaceOf(name: string): string | undefined {
    return this.#workspaces.get(name);
  }

  note(name: string, workspaceId: string): void {
    if (this.#workspaces.has(name)) return;
    const [oldest] = this.#workspaces.keys();
    if (this.#workspaces.size >= this.most && oldest !== undefined) this.#workspaces.delete(oldest);
    this.#workspaces.set(name, workspaceId);
  }

  forget(name: string): void {
    this.#workspaces.delete(name);
  }
}
