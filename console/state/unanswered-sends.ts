/**
 * Requests that have no answer: what they send may have been accepted. They are stored for all tabs of the browser. The storage ends with the
 * session; this page keeps them in its memory for the next session of the same workspace.
 */

export interface StoredRequest {
  /** Its idempotency key. */
  key: string;
  /** Of what it sends. */
  digest: string;
  /** When it was sent first. */
  at: string;
}

const prefix = 'tidings.batches.';
/** Where the requests of a workspace are stored. */
export const storageKeyOf = (workspaceId: string | null): string => `${prefix}${workspaceId}`;
/** The newest ones of a workspace are kept. */
const requestsMax = 20;
/** Between the end of a session and the next one. */
let kept: { workspaceId: string; requests: readonly StoredRequest[] } | null = null;

const parsed = (text: string | null) => JSON.parse(text ?? '[]') as StoredRequest[];

/** @returns oldest first */
export const readRequests = (workspaceId: string): readonly StoredRequest[] => parsed(localStorage.getItem(storageKeyOf(workspaceId)));

/** Changes them also where the session has ended since the request was sent: nothing is stored then. */
export function changeRequests(workspaceId: string, change: (requests: readonly StoredRequest[]) => readonly StoredRequest[]): void {
  if (kept?.workspaceId === workspaceId) kept = { workspaceId, requests: change(kept.requests) };
  else store(workspaceId, change(readRequests(workspaceId)));
}

function store(workspaceId: string, requests: readonly StoredRequest[]): void {
  const isEmpty = requests.length === 0 && localStorage.getItem(storageKeyOf(workspaceId)) === null;
  if (!isEmpty) localStorage.setItem(storageKeyOf(workspaceId), JSON.stringify(requests.slice(-requestsMax)));
}

/** Before the storage of a workspace is emptied. */
export function keepRequests(workspaceId: string): void {
  kept = { workspaceId, requests: readRequests(workspaceId) };
}

/** Another tab has emptied the storage, and may be closed before the next login. */
export function keepRemovedRequests({ key, oldValue, newValue }: StorageEvent): void {
  if (key?.startsWith(prefix) === true && newValue === null) kept = { workspaceId: key.slice(prefix.length), requests: parsed(oldValue) };
}

/** Stores what was kept of this workspace again, and forgets that of another one. Another tab may have stored it before. */
export function restoreRequests(workspaceId: string): void {
  if (kept === null) return;
  const requests = kept.workspaceId === workspaceId ? kept.requests : [];
  const stored = readRequests(workspaceId);
  const isStored = ({ key }: StoredRequest) => stored.some((one) => one.key === key);
  kept = null;
  store(workspaceId, [...requests.filter((one) => !isStored(one)), ...stored]);
}

/** After a logout. */
export function forgetRequests(): void {
  kept = null;
}
