/** A real Prometheus, with the rules of deploy/prometheus, over pages of metrics of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { until } from './client.js';
import { freePort } from './network/free-port.js';

/** Job → ports of its processes, with the name that the label `instance` gets instead of the address. */
export type Jobs = Readonly<Record<string, readonly (number | { port: number; instance: string })[]>>;

/** After this time a fault has been scraped and evaluated. */
const seenMs = 2_500;

/** Alerts that a slow machine causes without a fault. */
export const ofSlowMachine: ReadonlySet<string> = new Set([
  'TidingsAcceptSlowBurnFast',
  'TidingsAcceptSlowBurnSlow',
  'TidingsDatabaseSlow',
  'TidingsDatabasePoolFull',
  'TidingsEventLoopBlocked',
  'TidingsHandOffSlowBurnFast',
  'TidingsHandOffSlowBurnSlow',
  'TidingsTasksWait',
]);

/** A running Prometheus. */
export class Prometheus {
  constructor(
    readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** The alerts that fire now: name → the greatest value of their expressions. */
  async firing(): Promise<Map<string, number>> {
    const { alerts } = await this.#ask<{ alerts: { state: string; labels: { alertname: string }; value: string }[] }>('alerts');
    const firing = new Map<string, number>();
    for (const { state, labels, value } of alerts) {
      const highest = Math.max(Number(value), firing.get(labels.alertname) ?? Number.NEGATIVE_INFINITY);
      if (state === 'firing') firing.set(labels.alertname, highest);
    }
    return firing;
  }

  /** Waits until all of these alerts fire at the same time. */
  async fires(names: readonly string[]): Promise<void> {
    await this.#until(() => this.#areFiring(names), `${names.join(', ')} fire`);
  }

  /**
   * Shows that a fault causes alerts: none of them fires before it, and all fire at the same time after it. A slow machine may cause some of
   * them (`ofSlowMachine`) itself. The value of such an alert must then be greater after the fault than before it.
   * @param repeat causes the fault again until they fire
   */
  async firesBy(names: readonly string[], fault: () => unknown, { repeat = false } = {}): Promise<void> {
    await this.ends(names.filter((name) => !ofSlowMachine.has(name)));
    const before = await this.firing();
    const areFiring = () => this.#areFiring(names, before);
    const areFiringAfterFault = async () => {
      await fault();
      return until(areFiring, 'the fault is seen', seenMs).then(
        () => true,
        () => false,
      );
    };
    if (!repeat) await fault();
    await this.#until(repeat ? areFiringAfterFault : areFiring, `${names.join(', ')} fire by their fault`);
  }

  /** Waits until none of these alerts fires. */
  async ends(names: readonly string[]): Promise<void> {
    const areOver = async () => {
      const firing = await this.firing();
      return !names.some((name) => firing.has(name));
    };
    await this.#until(areOver, `${names.join(', ')} do not fire`);
  }

  /** The names of the alerts that were in this state at any time. */
  async everIn(state: 'pending' | 'firing'): Promise<string[]> {
    const expr = `max by (alertname) (max_over_time(ALERTS{alertstate="${state}"}[1d]))`;
    const { result } = await this.#ask<{ result: { metric: { alertname: string } }[] }>(`query?query=${encodeURIComponent(expr)}`);
    return result.map(({ metric }) => metric.alertname).toSorted();
  }

  /** The first value of an expression; undefined without a result. @throws Error if it is no expression */
  async value(expr: string): Promise<number | undefined> {
    const { result } = await this.#ask<{ result: { value: [number, string] }[] }>(`query?query=${encodeURIComponent(expr)}`);
    return result[0] === undefined ? undefined : Number(result[0].value[1]);
  }

  /** @param before values that must be exceeded */
  async #areFiring(names: readonly string[], before: ReadonlyMap<string, number> = new Map()): Promise<boolean> {
    const firing = await this.firing();
    return names.every((name) => (firing.get(name) ?? Number.NaN) > (before.get(name) ?? Number.NEGATIVE_INFINITY));
  }

  async #until(condition: () => Promise<boolean>, what: string): Promise<void> {
    await until(condition, what).catch(async (error: Error) => {
      throw new Error(`${error.message}; firing: ${[...(await this.firing()).keys()].join(', ')}`, { cause: error });
    });
  }

  async #ask<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  }
}

/**
 * Scrapes and evaluates every second, so that a test does not wait for the usual intervals.
 * @param rules texts of rules. An alert fires at once: its `for` is left out
 * @param isPatient alerts wait for their `for`
 */
export async function startPrometheus(jobs: Jobs, rules: readonly string[], isPatient = false): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-prometheus-'));
  rules.forEach((text, index) => writeFileSync(join(folder, `${index}.yml`), hastened(text, isPatient)));
  const scrape_configs = scrapesOf(jobs);
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  writeFileSync(join(folder, 'prometheus.yml'), stringify({ global, rule_files: [join(folder, '[0-9].yml')], scrape_configs }));
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, 'Prometheus is ready').catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return new Prometheus(url, stop);
}

const scrapesOf = (jobs: Jobs) =>
  Object.entries(jobs).map(([job_name, processes]) => ({
    job_name,
    static_configs: processes.map((of) => (typeof of === 'number' ? at(of) : { ...at(of.port), labels: { instance: of.instance } })),
  }));

const at = (port: number) => ({ targets: [`127.0.0.1:${port}`] });

const hastened = (text: string, isPatient: boolean) =>
  (isPatient ? text : text.replaceAll(/^ +for: .*\n/gm, '')).replaceAll(/interval: \d+s/g, 'interval: 1s');

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
