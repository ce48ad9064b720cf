/** Hints for a 404: another method would work, or the path without a trailing slash, in lower case, with the version or without a spelling mistake. */
import type { AppError } from '../../../models/errors.js';
import { lookAlike } from '../../../models/rules/values/look-alike.js';
import { explained } from './error-status.js';
import { allowOf } from '../options.js';
import type { Endpoint } from '../endpoint.js';

type Route = Pick<Endpoint, 'method' | 'path'>;

interface Known {
  path: string;
  form: RegExp;
  /** What `lookAlike` compares with each part of a path; null for a parameter. */
  parts: (readonly [string] | null)[];
  methods: readonly string[];
}

/** Adds a hint to the 404 of a request. Returns the same error if there is no hint. */
export type Explain = (refusal: AppError, method: string, path: string) => AppError;

export function createRouteHints(routes: readonly Route[]): Explain {
  const known = knownPaths(routes);
  const find = (path: string) => known.find(({ form }) => form.test(path));

  return (refusal, method, path) => {
    if (refusal.code !== 'not_found' || refusal.details !== undefined) return refusal;
    const exact = find(path);
    const withMethod = known.filter(({ methods }) => methods.includes(method === 'HEAD' ? 'GET' : method));
    if (exact !== undefined && withMethod.includes(exact)) return refusal;
    if (exact?.parts.includes(null) === false) return otherMethod(refusal, exact);
    // In a path that exists with another method, a parameter may be a misspelt word.
    const word = misspelt(withMethod, path);
    if (exact !== undefined) return word === undefined ? otherMethod(refusal, exact) : hinted(refusal, word);
    const near = nearest(find, path) ?? word ?? misspelt(known, path);
    return near === undefined ? refusal : hinted(refusal, near);
  };
}

const hinted = (refusal: AppError, message: string) => explained(refusal, { field: '', message });

/** Paths without parameters come first, because the `send` in `/messages/send` is not an id. */
function knownPaths(routes: readonly Route[]): Known[] {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const parameters = (path: string) => path.split(':').length;
  return paths
    .toSorted((one, other) => parameters(one) - parameters(other))
    .map((path) => ({
      path: path.replaceAll(/:(\w+)/g, '{$1}'),
      form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
      parts: path.split('/').map((part) => (part.startsWith(':') ? null : ([part] as const))),
      methods: routes.filter((each) => each.path === path).map((each) => each.method.toUpperCase()),
    }));
}

function otherMethod(refusal: AppError, { methods }: Known): AppError {
  const message = `No such method on this path. Allowed: ${methods.join(', ')}`;
  return explained(refusal, { field: '', message }, { Allow: allowOf(methods) });
}

/** The response does not repeat the requested path, because it is unchecked input. */
function nearest(find: (path: string) => Known | undefined, path: string): string | undefined {
  const bare = path.replace(/(?<!\/)\/+$/, ''); // tries each run of slashes once; without the look-behind it tries each slash
  const withoutSlash = bare === path ? undefined : find(bare);
  if (withoutSlash !== undefined) return `A path has no slash at its end: use ${withoutSlash.path}`;
  const inLowerCase = find(path.toLowerCase());
  if (inLowerCase !== undefined) return `Paths are in lower case: use ${inLowerCase.path}`;
  const versioned = find(versionedOf(path));
  if (versioned !== undefined) return `Paths begin with /api/v1: use ${versioned.path}`;
  const once = find(path.replace(/^(\/api\/v1)+/, '/api/v1'));
  return once === undefined ? undefined : `The path has /api/v1 twice: use ${once.path}, or a base URL without /api/v1`;
}

/** `/messages`, `/v1/messages`, `/api/messages` and `/api/v2/messages` as `/api/v1/messages`. */
const versionedOf = (path: string) => path.replace(/^\/(?:api\/)?(?:v\d+\/)?/, '/api/v1/');

/** Words that programmers try, and ours. */
const synonyms = new Map([['signin', 'login']]);

/** Of several similar paths, the one with the most parts unchanged. */
function misspelt(known: readonly Known[], path: string): string | undefined {
  const parts = versionedOf(path)
    .split('/')
    .map((part) => synonyms.get(part) ?? part);
  const similar = known.filter((each) => each.parts.length === parts.length && parts.every((part, at) => isLike(part, each.parts[at])));
  const common = ({ parts: those }: Known) => those.filter((part, at) => part?.[0] === parts[at]).length;
  const [meant] = similar.toSorted((one, other) => common(other) - common(one));
  return meant && `Did you mean ${meant.path}?`;
}

const isLike = (part: string, known: Known['parts'][number] = null): boolean =>
  known === null ? part !== '' : part === known[0] || lookAlike(part, known) !== undefined;
