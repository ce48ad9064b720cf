/** Where the console is. The addresses follow from that of this script, so that everything works behind a proxy with a path prefix. */

const assets = new URL('.', import.meta.url);

const root = new URL('..', assets).pathname;

/** This page is the portal of a webhook: its screens are those of one webhook, and its credential is a link. */
export const isPortal: boolean = location.pathname.startsWith(`${root}portal/`);

/** The path below which all screens are, with a slash at its end: `/console/`. */
export const base: string = isPortal ? `${root}portal/` : root;

/** The token of a link, from the fragment, which browsers do not send. It leaves the address at once. */
export function takeToken(): string | null {
  const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get('token');
  // In a tab that already shows the page, a new link changes the fragment only, so the browser does not load the page again.
  addEventListener('hashchange', () => tokenInAddress() !== null && location.reload());
  const token = tokenInAddress();
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** The address of an operation: `/api/v1/…` or `/console/session`, below the folder of the console. */
export const urlOf = (path: string): URL => new URL(`../..${path}`, assets);

/** The address of a screen: `to('messages')`; the parameters that are empty are left out. */
export function to(screen = '', query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, value]],
  );
  const search = new URLSearchParams(given).toString();
  return `${screen === '' ? base.slice(0, -1) : base + screen}${search === '' ? '' : `?${search}`}`;
}
