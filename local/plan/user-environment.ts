/** The environment of the user, without what is meant for other servers than the embedded ones. */
import { connectionSettings } from '../../models/settings/connection-settings.js';
import { isUnset, type Plan } from './plan.js';

/** PGSSLMODE, PGOPTIONS and others change every client of PostgreSQL in this process. Call it before the embedded server is used. */
export function forgetClientSettings(): void {
  for (const name of Object.keys(process.env)) if (isOfPostgresClient(name)) delete process.env[name];
}

const isOfPostgresClient = (name: string) => name.startsWith('PG');

/** What API, worker and scripts get of the environment of the user. */
export function userEnvironment({ env, embedsPostgres, embedsTemporal }: Plan): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !(embedsPostgres && isOfPostgresClient(name)));
  // Empty and not absent, so that the operator's commands, which have the environment of the user, do without them too.
  const foreign = embedsTemporal ? Object.keys(connectionSettings).filter((name) => !isUnset(env[name])) : [];
  return { ...Object.fromEntries(kept), ...Object.fromEntries(foreign.map((name) => [name, ''])), ...directHere(env) };
}

/** The sandbox reports to the API on this machine, and no proxy can reach that. Programs read either of the two names. */
function directHere(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!Object.keys(env).some((name) => /^https?_proxy$/i.test(name))) return {};
  const own = [env.no_proxy, env.NO_PROXY].find((value) => !isUnset(value));
  const hosts = own === '*' ? own : [own, '127.0.0.1', 'localhost'].filter((host) => host !== undefined).join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
