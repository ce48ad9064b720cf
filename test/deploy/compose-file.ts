/** Reads docker-compose.yml as `docker compose` does: anchors merged, variables put in. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { textOf } from './project.js';

export interface Service {
  image?: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  env_file?: { path: string; required: boolean }[];
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  restart?: string;
  init?: boolean;
  read_only?: boolean;
  cap_drop?: string[];
  container_name?: string;
  profiles?: string[];
  deploy?: { replicas?: number };
}

export interface ComposeFile {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
  version?: string;
}

/** The file as it is written, anchors merged. */
export const readCompose = (text = textOf('docker-compose.yml')): ComposeFile => parse(text, { merge: true }) as ComposeFile;

/** The file as it runs with these variables. @throws Error when a required one is missing */
export const composeWith = (env: NodeJS.ProcessEnv): ComposeFile => readCompose(interpolate(textOf('docker-compose.yml'), env));

/** The Compose Specification's own schema, from the linter that ships it; says what is wrong with a file. */
export function faultsOf(compose: unknown): unknown[] {
  const folder = dirname(fileURLToPath(import.meta.resolve('dclint/package.json')));
  const { $schema: _, ...schema } = JSON.parse(readFileSync(join(folder, 'schemas/compose.schema.json'), 'utf8')) as { $schema: string };
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.validate(schema, compose) ? [] : (ajv.errors ?? []);
}

// The innermost first: a default may contain another variable.
const variable = /\$\{([A-Z0-9_]+)(?::([-?])([^${}]*))?\}/g;

function interpolate(text: string, env: NodeJS.ProcessEnv): string {
  const replaced = text.replace(variable, (_all, name: string, kind: string | undefined, rest: string | undefined) => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    if (kind === '?') throw new Error(`${name} ${rest}`);
    return rest ?? '';
  });
  return replaced === text ? text : interpolate(replaced, env);
}

export interface Variable {
  name: string;
  required: boolean;
}

/** Every variable that the file takes from `.env`. */
export function variablesOf(text = textOf('docker-compose.yml')): Variable[] {
  const found = [...text.matchAll(/\$\{([A-Z0-9_]+)(:\?)?/g)];
  const names = [...new Set(found.map(([, name]) => name ?? ''))];
  return names.map((name) => ({ name, required: found.some(([, foundName, mark]) => foundName === name && mark === ':?') }));
}

/** The container's environment of one service, every value as text. */
export const environmentOf = (service: Service | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(service?.environment ?? {}).map(([name, value]) => [name, String(value ?? '')]));

/** The same with these files, which `environment` overrides. */
export function environmentWith(
  service: Service | undefined,
  env: Record<string, string>,
  accounts: Record<string, string> = {},
): Record<string, string> {
  const files = new Map([
    ['.env', env],
    ['accounts.env', accounts],
  ]);
  const given = service?.env_file?.map(({ path }) => files.get(path)) ?? [];
  return { ...Object.assign({}, ...given), ...environmentOf(service) };
}

/** The absolute paths that a service writes: redirections of its command and of the scripts that it mounts, and its folders for data. */
export function writtenPaths({ command = [], volumes = [], environment = {} }: Service): string[] {
  const scripts = volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => source.endsWith('.sh'));
  const texts = [...command, ...scripts.map(textOf)];
  const written = texts.flatMap((text) =>
    [...text.matchAll(/(?:>>?\s*|--storage\.tsdb\.path=)["']?(\/[\w./-]+)/g)].map(([, path = '']) => path),
  );
  return [...written, String(environment.DATA_DIR ?? '')].filter((path) => path !== '' && !path.startsWith('/dev/'));
}

/** Whether a path is in memory or on a volume that the service may write. */
export const isWritable = ({ tmpfs = [], volumes = [] }: Service, path: string): boolean => {
  const mounted = volumes.filter((volume) => !volume.endsWith(':ro')).map((volume) => volume.split(':')[1] ?? '');
  return [...tmpfs, ...mounted].some((folder) => path === folder || path.startsWith(`${folder}/`));
};
