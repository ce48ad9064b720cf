/** Values that a program gives. Those that cannot work are refused before anything is sent. */

/** The caller gave a value that cannot work. */
export class OptionError extends TypeError {}

/** Refuses a key for which fetch would throw an error that looks like one of the network. The text does not show the key, which may be secret. */
export function assertVisible(name: string, key: string): void {
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) throw new OptionError(`${name} must be visible ASCII characters`);
}

/** @throws OptionError for a number with which no attempt would be made, or all would fail */
export function assertNumbers(options: { retries?: number; timeoutMs?: number }): void {
  const [retries, timeoutMs] = [options.retries ?? 0, options.timeoutMs ?? 1];
  const isCount = retries === Number.POSITIVE_INFINITY || Number.isSafeInteger(retries);
  if (!isCount || retries < 0) throw new OptionError('retries must be a whole number, at least 0, or Infinity');
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) throw new OptionError('timeoutMs must be a number above 0');
}

/** The address with `/api/v1`. @throws OptionError, which does not show the address: it may have a password */
export function rootOf(given: string): string {
  const baseUrl = typeof given === 'string' ? given.trim() : ''; // URL removes white space at the ends, too, but it would stay before the paths
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new OptionError('baseUrl must be a URL, such as https://api.example.com');
  // For a URL with a password, fetch would throw an error that looks like one of the network.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(baseUrl))
    throw new OptionError('baseUrl must have no user name, password, query or fragment');
  return `${baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`;
}

/** Refuses a method that the service does not have. In lower case it would be another one for what is safe to repeat, but not for fetch. */
export function assertMethod(method: string): void {
  if (!['GET', 'POST', 'PUT', 'DELETE'].includes(method)) throw new OptionError('method must be GET, POST, PUT or DELETE');
}

/** Refuses a path that URLs change, so that it would be another one, or that has a query. */
export function assertPath(path: string): void {
  const isPath =
    typeof path === 'string' && /^\/[^?#\\\s\p{Cc}]*$/u.test(path) && !path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part));
  if (!isPath) throw new OptionError('path must begin with /, and have no query, no fragment, no white space and no dots alone');
}

/** An id as a segment of a path. URLs remove dots alone, also encoded ones, so that the path would be another one. */
export const segment = (id: string): string => {
  if (typeof id !== 'string' || ['', '.', '..'].includes(id)) throw new OptionError('an id is required');
  return encodeURIComponent(id);
};

/** A value of a query. @throws OptionError for a date that is none */
export function textOf(name: string, value: string | number | boolean | Date): string {
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(value.getTime())) throw new OptionError(`${name} is not a valid date`);
  return value.toISOString();
}

/** A body as JSON. @throws TypeError for one that is not JSON, and for numbers and dates that JSON would have as null */
export const jsonOf = (body: unknown): string =>
  JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    const given = this[name]; // a date is null in `value` already
    if (given instanceof Date && Number.isNaN(given.getTime())) throw new TypeError(`${name} is not a valid date`);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name} is ${value}, which JSON does not have`);
    return value;
  });
