/** Who is signed in. The session itself is a cookie that scripts cannot read. */
import { signal } from '@preact/signals';
import { call, type Schema, whenSignedOut } from '../api/call.js';
import { problemOf } from '../api/problem.js';
import { forget } from '../api/stream.js';

export type Workspace = Schema<'WorkspaceSettings'>;

export type Session = { state: 'unknown' } | { state: 'none'; reason: string | null } | { state: 'open'; workspace: Workspace };

export const session = signal<Session>({ state: 'unknown' });

/** Whether there was a session when this browser last looked. Without it, asking would only be refused. */
const hint = 'tidings.session';

whenSignedOut(() => {
  if (session.value.state === 'open') leave('Your session has ended. Please sign in again.');
});

/** Shows the sign-in screen, with a reason. */
export function leave(reason: string | null): void {
  localStorage.removeItem(hint);
  forget();
  session.value = { state: 'none', reason };
}

/** Reads the workspace of the session. Without a session the sign-in screen is shown. */
export async function restoreSession(): Promise<void> {
  if (localStorage.getItem(hint) === null) return leave(null);
  await refreshWorkspace().catch((error: unknown) => {
    const { message, status } = problemOf(error);
    if (status === 401) return leave(message);
    // The session is still there: whoever moves to another address at this moment also ends the request.
    session.value = { state: 'none', reason: message };
  });
}

/** Reads the workspace again: its balance, and whether its address is verified. */
export async function refreshWorkspace(): Promise<void> {
  const { workspace } = await call('get', '/api/v1/workspace');
  localStorage.setItem(hint, '1');
  session.value = { state: 'open', workspace };
}

/** @throws Problem `code_required` when the workspace has a second factor */
export async function signIn(login: { email: string; password: string; code?: string }): Promise<void> {
  await call('post', '/console/session', { body: login });
  await refreshWorkspace();
}

/** Uses the link that `npm start` prints. */
export async function signInByLink(token: string): Promise<void> {
  await call('post', '/console/session/link', { body: { token } });
  await refreshWorkspace();
}

export async function signOut(): Promise<void> {
  await call('delete', '/console/session');
  leave(null);
}
