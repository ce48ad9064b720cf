import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mailServerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import { loadConfig } from '../../models/settings/config.js';
import { settings } from '../../models/settings/settings.js';
import { type ComposeFile, composeWith, environmentOf, faultsOf, isWritable, readCompose, writtenPaths } from './compose-file.js';
import { filledIn } from './env-example.js';
import { blocksOf } from './samples.js';
import { jsonOf, numberIn, pinnedImage, root, textOf } from './project.js';

const ours = ['api', 'worker', 'migrate'];
const withheld = ['POSTGRES_PASSWORD', 'TEMPORAL_DB_PASSWORD']; // `migrate` must not get them from `.env`
const jobs = ['migrate', 'temporal-schema', 'temporal-namespace'];
const servers = ['api', 'postgres', 'redis', 'temporal', 'temporal-ui', 'prometheus', 'grafana'];
const file = composeWith(filledIn());
const services = Object.entries(file.services);
/** The one number in `30s`. */
const secondsOf = (duration = '0s') => Number(/^(\d+)s$/.exec(duration)?.[1]);

describe('docker-compose.yml', () => {
  it('docker-compose.yml is valid by the Compose Specification, as written and as it runs', () => {
    assert.deepEqual(faultsOf(readCompose()), []);
    assert.deepEqual(faultsOf(file), []);
  });

  it('the file for NODE_EXTRA_CA_CERTS in docs/settings.md is valid by the Compose Specification, for the processes that call others', () => {
    const [sample] = blocksOf('docs/settings.md').map(({ code }) => readCompose(code));
    assert.deepEqual(faultsOf(sample), []);
    assert.deepEqual(Object.keys(sample?.services ?? {}), ['api', 'worker']);
    for (const service of Object.values(sample?.services ?? {}))
      assert.ok(service.volumes?.some((volume) => volume.includes(`:${environmentOf(service).NODE_EXTRA_CA_CERTS}:`)));
  });

  it('docker-compose.yml is invalid with a misspelled key', () => {
    const wrong: ComposeFile = { ...file, services: { ...file.services, api: { ...file.services.api, depends: {} } as object } };
    assert.notDeepEqual(faultsOf(wrong), []);
  });

  for (const name of [
    'POSTGRES_PASSWORD',
    'TIDINGS_DB_OWNER_PASSWORD',
    'TIDINGS_DB_PASSWORD',
    'TEMPORAL_DB_PASSWORD',
    'REDIS_PASSWORD',
    'JWT_SECRET',
    'SECRET_KEY',
  ]) {
    it(`docker-compose.yml does not start without ${name}, and says so`, () => {
      assert.throws(() => composeWith({ ...filledIn(), [name]: '' }), new RegExp(`${name} set it in .env`));
    });
  }

  it('docker-compose.yml publishes the API, the Temporal UI and Grafana on loopback, and nothing else', () => {
    assert.deepEqual(Object.fromEntries(services.flatMap(([name, { ports }]) => (ports === undefined ? [] : [[name, ports]]))), {
      api: ['127.0.0.1:3000:3000'],
      'temporal-ui': ['127.0.0.1:8080:8080'],
      grafana: ['127.0.0.1:3001:3000'],
    });
  });

  it('PostgreSQL in docker-compose.yml logs neither statements nor details of errors', () => {
    assert.match(file.services.postgres?.command?.join(' ') ?? '', / -c log_error_verbosity=terse -c log_min_error_statement=panic$/);
  });

  it('a service that needs no internet is on a network without a way out', () => {
    const outside = services.filter(([, { networks = [] }]) => networks.includes('outside')).map(([name]) => name);
    assert.equal(file.networks.inside?.internal, true);
    assert.deepEqual(outside, ['api', 'worker', 'temporal-ui', 'grafana']);
  });

  it('docker-compose.yml refers only to services, networks, volumes and files that exist', () => {
    for (const [name, { networks = [], volumes = [], depends_on = {} }] of services) {
      assert.ok(networks.length > 0 && networks.every((network) => network in file.networks), `networks of ${name}`);
      assert.ok(
        Object.keys(depends_on).every((other) => other in file.services),
        `depends_on of ${name}`,
      );
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        assert.ok(source.startsWith('./') ? existsSync(join(root, source)) : source in file.volumes, `volume ${source} of ${name}`);
      }
    }
  });

  it('every image of docker-compose.yml has one version, and the parts of Temporal have the same', () => {
    const images = Object.fromEntries(services.map(([name, { image = '' }]) => [name, pinnedImage(image)]));
    for (const [name, image] of Object.entries(images)) assert.ok(image !== undefined, name);
    const tools = images['temporal-schema'];
    assert.deepEqual([tools?.name, tools?.tag], ['temporalio/admin-tools', images.temporal?.tag]);
    assert.deepEqual(images['temporal-namespace'], tools);
    const { version } = jsonOf<{ version: string }>('package.json');
    for (const name of ours) assert.equal(file.services[name]?.image, `tidings:${version}`);
  });

  const digest = `sha256:${'0f'.repeat(32)}`;
  for (const [reference, expected] of [
    ['postgres:18.4', { name: 'postgres', tag: '18.4', digest: undefined }],
    [`prom/prometheus:v3.5.0@${digest}`, { name: 'prom/prometheus', tag: 'v3.5.0', digest }],
    [`node:24.21.0-bookworm-slim@${digest}`, { name: 'node', tag: '24.21.0-bookworm-slim', digest }],
    ['postgres', undefined],
    ['postgres:latest', undefined],
    ['postgres:18', undefined],
    [`postgres@${digest}`, undefined],
    ['postgres:18.4@sha256:0f', undefined],
  ] as const) {
    it(`the image ${reference} counts as ${expected === undefined ? 'not pinned' : 'pinned'}`, () => {
      assert.deepEqual(pinnedImage(reference), expected);
    });
  }

  it('Prometheus and Grafana start in the profile monitoring only', () => {
    const optional = services.filter(([, { profiles = [] }]) => profiles.length > 0).map(([name, { profiles }]) => [name, profiles]);
    assert.deepEqual(optional, [
      ['prometheus', ['monitoring']],
      ['grafana', ['monitoring']],
    ]);
  });

  it('our processes in docker-compose.yml start entry points that exist', () => {
    for (const name of ours) {
      const [program, , script = ''] = file.services[name]?.command ?? [];
      assert.equal(program, 'node');
      assert.ok(existsSync(join(root, script)), `${script} of ${name}`);
    }
  });

  it('docker-compose.yml hands every setting to our processes, and nothing that is no setting', () => {
    const expected = Object.keys(settings).filter((name) => name !== 'DEMO_RECEIVER');
    const given = (name: string) => Object.keys(environmentOf(file.services[name])).filter((each) => !withheld.includes(each));
    for (const name of ours) assert.deepEqual(given(name).toSorted(), expected.toSorted(), name);
  });

  it('docker-compose.yml gives our processes settings that they accept once the secrets are set', () => {
    const config = loadConfig(environmentOf(file.services.api));
    assert.equal(config.callbackUrl, 'http://api:3000');
    assert.equal(config.publicUrl, 'http://127.0.0.1:3000');
    assert.deepEqual(config.webhookAllowedNetworks, []);
  });

  it('a changed PORT changes the published port and the public address only', () => {
    const { api } = composeWith({ ...filledIn(), PORT: '8000' }).services;
    assert.deepEqual(api?.ports, ['127.0.0.1:8000:3000']);
    assert.equal(environmentOf(api).PORT, '3000');
    assert.equal(environmentOf(api).PUBLIC_URL, 'http://127.0.0.1:8000');
  });

  it('every server has a health check and restarts for ever, and a job restarts five times', () => {
    for (const name of servers) assert.ok((file.services[name]?.healthcheck?.test.length ?? 0) > 1, name);
    for (const [name, { restart }] of services) assert.equal(restart, jobs.includes(name) ? 'on-failure:5' : 'unless-stopped', name);
  });

  it('every service waits for jobs to be done and for servers to be healthy', () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        assert.equal(condition, jobs.includes(other) ? 'service_completed_successfully' : 'service_healthy', `${name} on ${other}`);
      }
    }
  });

  it('all containers but the database are read-only, without capabilities, and have an init process', () => {
    for (const [name, { read_only, cap_drop, init }] of services) {
      if (name === 'postgres') continue;
      assert.deepEqual({ read_only, cap_drop, init }, { read_only: true, cap_drop: ['ALL'], init: true }, name);
    }
  });

  it('every path that a read-only container writes is mounted, so that it can start', () => {
    for (const [name, service] of services) {
      if (service.read_only !== true || name === 'migrate') continue; // the migration writes no file
      for (const path of writtenPaths(service)) assert.ok(isWritable(service, path), `${path} of ${name}`);
      assert.ok(service.tmpfs?.includes('/tmp'), `/tmp of ${name}`);
    }
    assert.deepEqual(writtenPaths(file.services.redis ?? {}), ['/tmp/valkey.conf']);
    assert.deepEqual(writtenPaths(file.services.prometheus ?? {}), ['/prometheus']);
  });

  it('api and worker have longer to stop than they drain', () => {
    const cancelled = /shutdownGraceTime: '(\d+)s'/.exec(textOf('activities/worker/workers.ts'))?.[1];
    const forced = numberIn('activities/worker/run-while-servers-answer.ts', 'forceMs') / 1_000;
    const longestCallSeconds = mailServerDeadlineMs / 1_000;
    assert.ok(Number(cancelled) > longestCallSeconds && forced > longestCallSeconds + 30, 'calls, then 30 s to record them');
    assert.ok(secondsOf(file.services.worker?.stop_grace_period) > forced);
    const openRequestsMs = numberIn('api/server.ts', 'drainMsMax');
    // A drain that would last until then is longer than the setting permits.
    const killed = secondsOf(file.services.api?.stop_grace_period) - openRequestsMs / 1000;
    assert.match(settings.DRAIN_SECONDS?.validate(killed).error?.message ?? '', /must be less than or equal to/);
  });

  it('as many workers start as WORKERS says, so that the next start keeps them', () => {
    assert.equal(file.services.worker?.deploy?.replicas, 1);
    const { worker } = composeWith({ ...filledIn(), WORKERS: '3' }).services;
    assert.equal(worker?.deploy?.replicas, 3);
  });

  it('the worker can be scaled, because it has no name and no port of its own', () => {
    assert.ok(services.every(([, { container_name }]) => container_name === undefined));
    assert.equal(file.services.worker?.ports, undefined);
    assert.equal(file.version, undefined);
  });
});
