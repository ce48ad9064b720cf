/** Who does something, and from where: made from a request by the API, or by the program for what it does by itself. */

export const actorTypes = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof actorTypes)[number];

/** `user` is who holds the password or a JWT of the workspace; its id is the workspace's. Null where nobody has proved to be anybody. */
export interface Actor {
  type: ActorType;
  id: string | null;
  name: string | null;
}

export interface Origin {
  actor: Actor;
  /** IP address of the client. */
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
}

/** Somebody without a credential. */
export const anonymous: Actor = { type: 'user', id: null, name: null };

/** What no request causes: the service itself, an operator's command, a provider. @param name who or what it is */
export const systemOrigin = (name: string): Origin => ({
  actor: { type: 'system', id: null, name },
  address: null,
  userAgent: null,
  requestId: null,
});

/** The same origin, once it is known who acts. */
export const actingAs = (origin: Origin, { id, email }: { id: string; email: string }): Origin => ({
  ...origin,
  actor: { type: 'user', id, name: email },
});
