import { findTemporal, type FoundTemporal } from '../../../local/temporal/find-temporal.js';

/** The Temporal program of this machine, as `npm start` finds it. Nothing is built or fetched. @param say gets what was skipped, and why */
export function installedTemporal(logDir: string, say: (line: string) => void = () => undefined): Promise<FoundTemporal> {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const run = () => Promise.reject(new Error('there is no Temporal program: run `npm start` once, which fetches or builds it'));
  return findTemporal({ env: { PATH, HOME, XDG_CACHE_HOME }, logDir, say, run });
}
