/** Values that a program gives. Those that cannot work are refused before anything is sent. */

/** The caller gave a value that cannot work. */
export class OptionError extends TypeError {}

/** Refuses a key for which fetch would throw an error that looks like one of the network. The text does not show the key, which may be secret. */
export function assertVisible(name: string, key: string): void {
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) throw new OptionError(`${name} must be visible ASCII characters`);
}

/** @throws OptionError for a number with which the repetitions would never end, or all attempts would fail */
export function assertNumbers({ retries, timeoutMs }: { retries?: number; timeoutMs?: number }): void {
  if (!Number.isSafeInteger(retries ?? 0) || (retries ?? 0) < 0) throw new OptionError('retries must be a whole number, at least 0');
  if (!Number.isFinite(timeoutMs ?? 1) || (timeoutMs ?? 1) <= 0) throw new OptionError('timeoutMs must be a number above 0');
}

/** The address with `/api/v1`. @throws OptionError, which does not show the address: it may have a password */
export function rootOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new OptionError('baseUrl must be a URL, such as https://api.example.com');
  // For a URL with a password, fetch would throw an error that looks like one of the network.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(baseUrl))
    throw new OptionError('baseUrl must have no user name, password, query or fragment');
  return `${baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`;
}

/** Refuses a path that URLs change, so that it would be another one, or that has a query. */
export function assertPath(path: string): void {
  const isPath = typeof path === 'string' && /^\/[^?#\\]*$/.test(path) && !path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part));
  if (!isPath) throw new OptionError('path must begin with /, and have no query, no fragment and no dots alone');
}

/** A value of a query. @throws OptionError for a date that is none */
export function textOf(name: string, value: string | number | boolean | Date): string {
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(value.getTime())) throw new OptionError(`${name} is not a valid date`);
  return value.toISOString();
}
