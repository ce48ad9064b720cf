/** A workspace that is logged in to the console: its cookie, and the requests of its pages. */
import type { Answer, TestApp } from '../start-app.js';
import { type Owner, owner, password } from './owner.js';

export const sessionPath = '/console/session';
/** What a browser adds to a request of the console's own pages. */
export const own = { 'Sec-Fetch-Site': 'same-origin' };

/** The cookie that an answer sets, as a browser sends it; empty if there is none. */
export const cookieOf = ({ headers }: { headers: Headers }): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

/** Call it after `useApi`: logs in a new workspace before each test. */
export function useConsoleSession(app: TestApp) {
  const session = {} as { me: Owner; cookie: string };
  const logIn = (body: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    app.call('POST', sessionPath, { body: { email: session.me.email, password, ...body }, headers });
  beforeEach(async () => {
    session.me = await owner(app);
    session.cookie = cookieOf(await logIn());
  });
  return {
    session,
    logIn,
    /** A request with the cookie, by default of the console's own pages. */
    call: (method: string, to: string, body?: unknown, headers: Record<string, string> = own): Promise<Answer> =>
      app.call(method, to, { ...(body === undefined ? {} : { body }), headers: { Cookie: session.cookie, ...headers } }),
  };
}
