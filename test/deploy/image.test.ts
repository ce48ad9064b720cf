/** Dockerfile, .dockerignore and the scripts that containers run; no container can be started in a test run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { parse } from 'yaml';
import { searchAttributes } from '../../workflows/contract.js';
import { installedTemporal } from '../support/temporal/installed-temporal.js';
import { jsonOf, pinnedImage, root, textOf } from './project.js';

const scripts = [
  ...readdirSync(join(root, 'deploy'))
    .filter((name) => name.endsWith('.sh'))
    .map((name) => `deploy/${name}`),
  '.ci/run',
];
const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0;

describe('scripts for containers and CI', () => {
  for (const script of scripts) {
    it(`${script} is executable, has no syntax error and stops at the first failure`, () => {
      const text = textOf(script);
      const shell =
        /^#!\/(?:bin\/(sh)|usr\/bin\/env (bash))\n/
          .exec(text)
          ?.slice(1)
          .find((name) => name !== undefined) ?? 'none';
      assert.notEqual(statSync(join(root, script)).mode & 0o111, 0);
      assert.equal(spawnSync(shell, ['-n', join(root, script)], { encoding: 'utf8' }).stderr, '');
      assert.match(text, /^set -[eu]+/m);
    });

    it(`${script} passes shellcheck`, function () {
      if (!hasShellcheck) this.skip();
      assert.equal(spawnSync('shellcheck', ['--severity=warning', join(root, script)], { encoding: 'utf8' }).stdout, '');
    });
  }

  for (const path of ['deploy/create-namespace.sh', 'docs/operations.md'])
    it(`${path} makes exactly the search attributes that workflows use`, () => {
      const made = [...textOf(path).matchAll(/--name (\w+) --type (\w+)/g)].map(([, name, type]) => [name, type]);
      const used = Object.values(searchAttributes).map(({ name, type }) => [name, TypedSearchAttributes.toMetadataType(type)]);
      assert.deepEqual(Object.fromEntries(made), Object.fromEntries(used));
    });

  it('deploy/create-namespace.sh creates the namespace, and sets a changed retention at the next start', async () => {
    const { PATH = '', HOME, TEST_TEMPORAL: address = '' } = process.env;
    const { path } = await installedTemporal(tmpdir());
    const namespace = `script-${randomUUID()}`;
    const connection = await Connection.connect({ address });
    try {
      for (const hours of [72, 24]) {
        const settings = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, NAMESPACE_RETENTION: `${hours}h` };
        const env = { PATH: `${dirname(path)}:${PATH}`, HOME, ...settings };
        const { status, stderr } = spawnSync('sh', [join(root, 'deploy/create-namespace.sh')], { env, encoding: 'utf8' });
        assert.equal(status, 0, stderr);
        const { config } = await connection.workflowService.describeNamespace({ namespace });
        assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), hours * 3600);
      }
    } finally {
      await connection.close();
    }
  });

  it('deploy/temporal-dynamic-config.yaml has one unconditional value for each key', () => {
    const config = parse(textOf('deploy/temporal-dynamic-config.yaml')) as Record<string, unknown[]>;
    for (const [key, values] of Object.entries(config)) {
      assert.match(key, /^[a-z]+\.[A-Za-z]+$/);
      assert.equal(values.length, 1, key);
    }
  });
});

describe('Dockerfile', () => {
  const text = textOf('Dockerfile');

  it('the image is built and runs on one pinned Node LTS that the package allows', () => {
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    assert.equal(new Set(images).size, 1);
    const { name, tag = '' } = pinnedImage(images[0] ?? '') ?? {};
    assert.equal(name, 'node');
    const [, major, minor] = /^(\d+)\.(\d+)\.\d+-bookworm-slim$/.exec(tag) ?? [];
    const [, oldest] = /^>=(\d+)\.\d+$/.exec(jsonOf<{ engines: { node: string } }>('package.json').engines.node) ?? [];
    assert.ok(Number(major) >= Number(oldest) && Number(minor) >= 0);
    assert.equal(Number(major) % 2, 0, 'only even versions get long support');
  });

  it('the image runs as a user without privileges', () => {
    assert.match(text.slice(text.lastIndexOf('FROM')), /^USER node$/m);
  });

  it('the image has the optional dependencies, which the password hash and the Temporal SDK need', () => {
    assert.doesNotMatch(text, /^RUN.*--omit=optional/m);
  });

  it('the image has everything that the entry points read at run time', () => {
    const copied = [...text.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, path]) => String(path));
    assert.deepEqual(copied.toSorted(), ['dist', 'models/migrations', 'node_modules', 'package.json']);
  });
});

describe('.dockerignore', () => {
  const lines = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));

  it('.dockerignore lets in only what the build reads, so that no secret gets into an image', () => {
    assert.equal(lines[0], '*');
    assert.deepEqual(admitted, [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'models',
      'activities',
      'workflows',
      'api',
      'console',
      'verify/tsconfig.json',
      'verify/verify-webhook.ts',
    ]);
  });

  it('.dockerignore lets in everything that the build reads, so that the image can be built', async function () {
    this.timeout(600_000);
    const context = await mkdtemp(join(tmpdir(), 'tidings-image-'));
    try {
      for (const path of admitted) {
        await cp(join(root, path), join(context, path), { recursive: true, filter: (file) => basename(file) !== 'README.md' });
      }
      await symlink(join(root, 'node_modules'), join(context, 'node_modules'));
      const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', 'build'], { cwd: context, encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
      for (const entry of ['api/server.js', 'activities/worker.js', 'models/migrate.js', 'workflows.js', 'console/site/manifest.json']) {
        assert.ok(existsSync(join(context, 'dist', entry)), entry);
      }
    } finally {
      await rm(context, { recursive: true });
    }
  });
});
