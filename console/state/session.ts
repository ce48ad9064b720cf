/** Who is logged in. The session itself is a cookie that scripts cannot read. */
import { signal } from '@preact/signals';
import { call, onLoggedOut, type Schema, setCallGuard } from '../api/call.js';
import { endedText, Problem, problemOf } from '../api/problem.js';
import { resetStream } from '../api/stream.js';
import { closeQuestion } from './confirm.js';
import { forgetInput, keepInput } from './kept.js';
import { forgetRequests, keepRemovedRequests, keepRequests, restoreRequests, storageKeyOf } from './unanswered-sends.js';
import { answerMsMax } from './load.js';
import { dismissAll } from './notices.js';

export type Workspace = Schema<'WorkspaceSettings'>;

export type Session =
  | { state: 'unknown' }
  /** It cannot be read at this moment, which says nothing about the session. */
  | { state: 'failed'; problem: Problem }
  | { state: 'none'; reason: string | null }
  | { state: 'open'; workspace: Workspace };

export const session = signal<Session>({ state: 'unknown' });

/** The workspace that is logged in; null: none is, or it is not known yet. */
export const openWorkspace = (): Workspace | null => (session.value.state === 'open' ? session.value.workspace : null);

/**
 * The id of the workspace whose cookie this browser has, for all tabs. Without it, asking would only be refused. The cookie itself cannot be
 * read, and a login in another tab replaces it under the screens of this one.
 */
const workspaceIdKey = 'tidings.session';

export const mayBeLoggedIn = (): boolean => localStorage.getItem(workspaceIdKey) !== null;

const shownId = () => openWorkspace()?.id ?? null;

/** The cookie is that of another workspace than the screens. A reload shows them for the workspace of the cookie. */
function isReplaced(): boolean {
  const shown = shownId();
  // A portal shows no workspace, and may have no storage.
  if (shown === null) return false;
  const known = localStorage.getItem(workspaceIdKey);
  return known !== null && known !== shown;
}

const endedByItself = 'Your session has ended. Please log in again.';

onLoggedOut(() => {
  if (openWorkspace() !== null && !isReplaced()) markEnded(endedByItself);
});

setCallGuard(() => {
  // A tab may not have heard yet of a login in another one. What it shows must not be sent for the other workspace.
  if (isReplaced()) {
    location.reload();
    throw new Problem(401, { error: 'This browser is now logged in to another workspace. Nothing was sent.' });
  }
  const id = shownId();
  return (status) => {
    // The login screen and the next workspace show nothing of this one. A success was carried out, so it must not look like a refusal.
    if (id !== null && shownId() !== id) throw new Problem(status < 400 ? 0 : status, { error: endedText });
  };
});

/** Follows the logins and logouts of other tabs. */
export function followOtherTabs(): void {
  addEventListener('storage', (event) => {
    const { key } = event;
    // Events may be late: this workspace may be logged in again.
    if (localStorage.getItem(workspaceIdKey) === null) keepRemovedRequests(event);
    if (key !== workspaceIdKey && key !== null) return;
    const known = localStorage.getItem(workspaceIdKey);
    if (known === null) markEnded(null);
    else if (shownId() === null) {
      // It may be that of the former workspace.
      resetStream();
      void restoreSession();
    } else if (known !== shownId()) location.reload();
  });
}

/** Sends without an answer (`unanswered-sends.ts`), and links of webhooks (`portal.ts`). */
const ofWorkspaces = /^tidings\.(batches|portal)\./;

/** The next user of this browser must not find what it stores about workspaces. @param workspaceId that of this one stays */
function forgetStored(workspaceId: string | null): void {
  for (const storage of [localStorage, sessionStorage]) {
    for (const key of Object.keys(storage)) {
      if (ofWorkspaces.test(key) && key !== storageKeyOf(workspaceId)) storage.removeItem(key);
    }
  }
}

/** Shows the login screen, with a reason, after the user has ended the session. */
export function endSession(reason: string | null): void {
  markEnded(reason);
  forgetInput(null);
  forgetRequests();
}

/** Shows the login screen. What was written is kept for its workspace. */
function markEnded(reason: string | null): void {
  const id = shownId();
  if (id !== null) {
    keepInput(id);
    keepRequests(id);
  }
  // They would lie over the login form.
  closeQuestion();
  dismissAll();
  localStorage.removeItem(workspaceIdKey);
  forgetStored(null);
  resetStream();
  session.value = { state: 'none', reason };
}

/** Reads the workspace of the session. Without a session the login screen is shown. */
export async function restoreSession(): Promise<void> {
  if (!mayBeLoggedIn()) return markEnded(null);
  if (!(await openSession())) markEnded(endedByItself);
}

/** Shows the workspace of the session, or that it cannot be read at this moment. @returns false: the API accepts no session */
async function openSession(): Promise<boolean> {
  const known = localStorage.getItem(workspaceIdKey);
  try {
    await refreshWorkspace();
  } catch (error) {
    if (localStorage.getItem(workspaceIdKey) !== known) return true; // another tab has logged in or out, which this one follows
    const problem = problemOf(error);
    if (problem.status === 401) return false;
    if (openWorkspace() !== null) return true; // another try has succeeded
    resetStream();
    session.value = { state: 'failed', problem };
  }
  return true;
}

/** The reads of the workspace that have begun, and the newest of them that was answered. */
const reads = { begun: 0, answered: 0 };

/**
 * Reads the workspace again: its balance, and whether its address is verified. An answer of an earlier session is dropped, and one that comes
 * after the answer to a later read.
 */
async function refreshWorkspace(): Promise<void> {
  const known = localStorage.getItem(workspaceIdKey);
  const number = (reads.begun += 1);
  const { workspace } = await call('get', '/api/v1/workspace', { signal: AbortSignal.timeout(answerMsMax) });
  if (localStorage.getItem(workspaceIdKey) !== known || number < reads.answered) return;
  reads.answered = number;
  // The stream may have been opened for the workspace that was logged in before.
  if (known !== workspace.id) resetStream();
  localStorage.setItem(workspaceIdKey, workspace.id);
  if (isReplaced()) return location.reload();
  forgetInput(workspace.id);
  restoreRequests(workspace.id);
  session.value = { state: 'open', workspace };
}

/** Reads the workspace again for what is shown beside a screen: its failure is no failure of the screen. */
export const refreshSoon = (): void => void refreshWorkspace().catch(() => undefined);

/** Tells the other tabs at once whose cookie it is now. Where the workspace cannot be read, the login was no failure all the same. */
async function begin({ workspace }: { workspace: { id: string } }): Promise<void> {
  forgetStored(workspace.id);
  localStorage.setItem(workspaceIdKey, workspace.id);
  const isAccepted = await openSession();
  // The refusal may have ended the session that was shown, or that another tab has begun.
  if (isAccepted && ['open', 'failed'].includes(session.value.state)) return;
  const known = localStorage.getItem(workspaceIdKey);
  if (known !== null && known !== workspace.id) return; // another tab has logged in, which this one follows
  localStorage.removeItem(workspaceIdKey);
  throw new Problem(401, {
    error: 'The login was accepted, but this browser does not keep its cookie',
    hints: ['Allow cookies for this address, and open it with https'],
  });
}

/** @throws Problem `code_required` when the workspace has a second factor */
export async function logIn(login: { email: string; password: string; code?: string }): Promise<void> {
  await begin(await call('post', '/console/session', { body: login }));
}

/** Uses the link that `npm start` prints. */
export async function logInByLink(token: string): Promise<void> {
  await begin(await call('post', '/console/session/link', { body: { token } }));
}

export async function logOut(): Promise<void> {
  await call('delete', '/console/session').catch((error: unknown) => {
    // Where the session has ended before, here or elsewhere, there is nothing left to do.
    if (openWorkspace() !== null) throw error;
  });
  endSession(null);
}
