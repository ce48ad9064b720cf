/** Who does something, and from where. The API makes it from a request; the program makes its own for what it does by itself. */

export const actorTypes = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof actorTypes)[number];

/** `user`: the holder of the workspace's password or JWT, with the id of the workspace. Null for a client that has not authenticated. */
export interface Actor {
  type: ActorType;
  id: string | null;
  name: string | null;
}

/** The credential of a request, by which it can be checked again. */
export interface RequestCredential {
  /** The API key; in the link to a portal, the key that made it. Null with a JWT. */
  keyId: string | null;
  /** The JWT; null with an API key. */
  token: { id: string; version: number } | null;
}

export interface Origin {
  actor: Actor;
  /** Undefined where there was none: a login, an operator's command, the service itself. */
  credential?: RequestCredential | undefined;
  /** The IP address of the client. */
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
}

/** A client without a credential. */
export const anonymous: Actor = { type: 'user', id: null, name: null };

/** The origin of changes that no request causes: the service itself, an operator's command, a provider. @param name which of these */
export const systemOrigin = (name: string): Origin => ({
  actor: { type: 'system', id: null, name },
  address: null,
  userAgent: null,
  requestId: null,
});

/** The same origin, for events that may be recorded after the credential has ended: its end, or an action of another service for it. */
export const withoutCredential = ({ credential: _, ...origin }: Origin): Origin => origin;

/** The same origin, once the actor is known. */
export const actingAs = (origin: Origin, { id, email }: { id: string; email: string }): Origin => ({
  ...origin,
  actor: { type: 'user', id, name: email },
});
