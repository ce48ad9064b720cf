/** Runs servers without root rights. PostgreSQL refuses to run as root, and another account may not be able to enter folders of root. */
import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './part.js';
import { reasonOf, StartError } from '../output/start-error.js';

interface Account {
  uid: number;
  gid: number;
}

/** Capabilities that let a process enter folders without access rights, with their numbers from <linux/capability.h>. The weakest comes first. */
const passCapabilities = { dac_read_search: 2, dac_override: 1 };

/**
 * Runs a command as another account if this process is root. The account gets one additional capability, to enter folders such as /root.
 */
export function withoutRoot(command: string, args: readonly string[], account: Account | undefined): Pick<Command, 'command' | 'args'> {
  if (account === undefined) return { command, args };
  const held = heldCapability();
  const capability = held === undefined ? [] : [`--inh-caps=+${held}`, `--ambient-caps=+${held}`];
  const switches = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', ...capability];
  return { command: 'setpriv', args: [...switches, '--', command, ...args] };
}

/**
 * The account for a server that must not run as root: the owner of the folder, else `postgres`, else `nobody`. Undefined if this process is not root.
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

/**
 * Changes the owner of a folder and its content.
 * @throws StartError on a file system that keeps no owners, or in a container without the capability
 */
export function giveTo(path: string, account: Account): void {
  try {
    chownSync(path, account.uid, account.gid);
  } catch (error) {
    throw new StartError(
      `${path} cannot be given to the account ${account.uid} (${reasonOf(error)}): set DATA_DIR to another file system, start as another user, or set DATABASE_URL.`,
    );
  }
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

/** The capability that can be passed on. Containers drop capabilities from the bounding set. */
function heldCapability(): string | undefined {
  const held = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`);
  return Object.entries(passCapabilities).find(([, bit]) => (held >> BigInt(bit)) % 2n === 1n)?.[0];
}
