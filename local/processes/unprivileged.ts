/** PostgreSQL refuses to run as root, and the account it runs as instead may be unable to enter a folder of root's. */
import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './part.js';
import { StartError } from '../plan/start-error.js';

interface Account {
  uid: number;
  gid: number;
}

/** Numbers of the capabilities in <linux/capability.h> that let a process pass through folders closed to it; the weakest first. */
const passCapabilities = { dac_read_search: 2, dac_override: 1 };

/**
 * The same command as another account, when we are root; otherwise as it is.
 * The account gets one capability beside its own rights: to pass through folders such as /root.
 */
export function withoutRoot(command: string, args: readonly string[], account: Account | undefined): Pick<Command, 'command' | 'args'> {
  if (account === undefined) return { command, args };
  const held = heldCapability();
  const capability = held === undefined ? [] : [`--inh-caps=+${held}`, `--ambient-caps=+${held}`];
  const switches = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', ...capability];
  return { command: 'setpriv', args: [...switches, '--', command, ...args] };
}

/**
 * The account for a server that must not be root: the folder's owner, else `postgres`, else `nobody`. Undefined when we are not root.
 * @throws StartError as root on a system without setpriv
 */
export function accountFor(dataDir: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (spawnSync('setpriv', ['--version']).error !== undefined) {
    throw new StartError('PostgreSQL cannot run as root here: install util-linux (setpriv), start as another user, or set DATABASE_URL.');
  }
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return accountNamed('postgres') ?? accountNamed('nobody') ?? { uid: 65_534, gid: 65_534 };
}

/** Gives a folder with all it contains to the account. */
export function giveTo(path: string, account: Account): void {
  chownSync(path, account.uid, account.gid);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), account);
}

function accountNamed(name: string): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** Containers drop capabilities: what is not in the bounding set cannot be handed on. */
function heldCapability(): string | undefined {
  const held = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`);
  return Object.entries(passCapabilities).find(([, bit]) => (held >> BigInt(bit)) % 2n === 1n)?.[0];
}
