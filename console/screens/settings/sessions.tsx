/** The open sessions: which there are, and how to end one or all. */
import { useSignal } from '@preact/signals';
import { call, type Schema } from '../../api/call.js';
import { Resource } from '../../parts/loaded.js';
import { type Column, PlainTable } from '../../parts/table.js';
import { momentText, Time } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { useLoad } from '../../state/load.js';
import { endSession } from '../../state/session.js';
import { notify } from '../../state/notices.js';

type Session = Schema<'Session'>;

/** Operations under /auth have a low limit, so the list is read when somebody asks for it. */
export function Sessions() {
  const isShown = useSignal(false);
  const { isBusy, run } = useOneAtATime();
  const endAll = run(async () => {
    const text = 'Every session and token of this workspace ends, also this one. API keys keep working.';
    if (!(await confirm({ title: 'Log out everywhere?', text, action: 'Log out everywhere' }))) return;
    await call('post', '/api/v1/auth/logout-all');
    endSession('All sessions ended.');
  });
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      {isShown.value && <OpenSessions />}
      <p class="actions">
        {!isShown.value && (
          <button type="button" onClick={() => (isShown.value = true)}>
            Show open sessions
          </button>
        )}
        <button type="button" aria-disabled={isBusy.value} onClick={endAll}>
          End all sessions
        </button>
      </p>
    </section>
  );
}

const names = { jwt: 'Token', console: 'Console' } as const satisfies Record<Session['kind'], string>;

/** The API gives no more at once. */
const sessionsMax = 100;
const currentFirst = (one: Session, other: Session) => Number(other.is_current) - Number(one.is_current);

function OpenSessions() {
  const page = useLoad<{ sessions: readonly Session[]; hasMore: boolean }>('', async (signal) => {
    const { sessions, pagination } = await call('get', '/api/v1/auth/sessions', { query: { limit: sessionsMax }, signal });
    return { sessions: sessions.toSorted(currentFirst), hasMore: pagination.next_cursor !== null };
  });
  const ended = (id: string) => page.update((shown) => ({ ...shown, sessions: shown.sessions.filter((each) => each.id !== id) }));
  const columns: Column<Session>[] = [
    { title: 'Kind', cell: ({ kind, is_current }) => `${names[kind]}${is_current ? ' (this one)' : ''}` },
    { title: 'Client', cell: ({ address, user_agent }) => `${address ?? 'unknown'} ${user_agent ?? ''}` },
    { title: 'Logged in', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="not yet" /> },
    { title: 'Actions', cell: (session) => <EndSession session={session} ended={ended} /> },
  ];
  return (
    <Resource of={page}>
      {({ sessions, hasMore }) => (
        <>
          {hasMore && <p>{`There are more than these ${sessions.length}, which are the newest. "End all sessions" ends all of them.`}</p>}
          <PlainTable caption="Open sessions" columns={columns} keyOf={({ id }) => id} rows={sessions} />
        </>
      )}
    </Resource>
  );
}

function EndSession({ session, ended }: { session: Session; ended(id: string): void }) {
  const { id, is_current } = session;
  const name = `${names[session.kind]} from ${session.address ?? 'unknown'}, logged in ${momentText(session.created_at)}`;
  const { isBusy, run } = useOneAtATime();
  const end = run(async () => {
    const text = `${name}. ${is_current ? 'This is your own session: you have to log in again.' : 'Whoever uses it has to log in again.'}`;
    if (!(await confirm({ title: 'End this session?', text, action: 'End the session' }))) return;
    const { message } = await call('delete', '/api/v1/auth/sessions/{id}', { params: { id } });
    if (is_current) return endSession('Session ended.');
    notify(message);
    ended(id);
  });
  return (
    <button type="button" class="danger" aria-label={`End the session ${name}`} aria-disabled={isBusy.value} onClick={end}>
      End
    </button>
  );
}
