/** A real Prometheus, with the rules of deploy/prometheus, over pages of metrics of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { until } from './client.js';
import { freePort } from '../../models/process/free-port.js';

/** Job → ports of its processes, with the name that the label `instance` gets instead of the address. */
export type Jobs = Readonly<Record<string, readonly (number | { port: number; instance: string })[]>>;

export interface Prometheus {
  url: string;
  /** The names of the alerts that fire now. */
  firing(): Promise<Set<string>>;
  /** The first value of an expression; undefined without a result. @throws Error if it is no expression */
  value(expr: string): Promise<number | undefined>;
  stop(): Promise<void>;
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
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  };
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'Prometheus is ready',
  );
  return {
    url: `http://127.0.0.1:${port}`,
    async firing() {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    async value(expr) {
      const { result } = await ask<{ result: { value: [number, string] }[] }>(`query?query=${encodeURIComponent(expr)}`);
      return result[0] === undefined ? undefined : Number(result[0].value[1]);
    },
    stop,
  };
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
