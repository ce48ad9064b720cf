/** The demo receiver's certificate in DATA_DIR/tls, and the bundle by which the worker trusts it. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate, makeAuthority } from './certificates.js';
import { isUnset } from '../plan/plan.js';

/** A certificate with less than this left is replaced. */
const renewBeforeMs = 30 * 86_400_000;

/** The paths of the files. All but the bundle belong to the demo receiver. */
export function tlsPaths(dataDir: string) {
  const folder = join(dataDir, 'tls');
  return {
    folder,
    authority: join(folder, 'authority.pem'),
    cert: join(folder, 'receiver.pem'),
    key: join(folder, 'receiver.key'),
    bundle: join(folder, 'bundle.pem'),
  };
}

/**
 * Makes an authority and a certificate, unless the present certificate is valid for another month. The key of the authority is not kept, so
 * that nothing else can be issued in its name.
 * @returns the path of a file for NODE_EXTRA_CA_CERTS: our authority, and those that the user has named there
 */
export async function prepareTls(dataDir: string, userBundle: string | undefined, say: (line: string) => void): Promise<string> {
  const paths = tlsPaths(dataDir);
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  if (!isValidLongEnough(paths.cert)) {
    const authority = await makeAuthority();
    const receiver = await issueCertificate(authority, { names: ['localhost'], addresses: ['127.0.0.1'] });
    write(paths.authority, authority.cert);
    write(paths.key, receiver.key);
    write(paths.cert, receiver.cert); // last: if it exists, all the files exist
  }
  write(paths.bundle, [readFileSync(paths.authority, 'utf8'), readUserBundle(userBundle, say)].join('\n'));
  return paths.bundle;
}

function isValidLongEnough(certPath: string): boolean {
  try {
    return Date.parse(new X509Certificate(readFileSync(certPath)).validTo) - Date.now() > renewBeforeMs;
  } catch {
    return false; // absent or damaged
  }
}

function readUserBundle(path: string | undefined, say: (line: string) => void): string {
  if (isUnset(path)) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch {
    say(`NODE_EXTRA_CA_CERTS ${path} cannot be read and is ignored`);
    return '';
  }
}

const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
