/** A request whose body is held open: the service has authenticated it and waits for the rest. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestApp } from '../start-app.js';

export interface HeldRequest {
  method: string;
  /** Below /api/v1. */
  path: string;
  credential: { jwt: string } | { key: string };
  body: object;
}

/** Sends the rest of the body. @returns the answer */
export type Finish = () => Promise<{ status: number; error: string | undefined }>;

/**
 * Sends all but the end of the body, and waits until the credential was looked up.
 * @param workspaceId the caller's; the process must not have seen the credential before
 */
export async function hold(app: TestApp, workspaceId: string, { method, path, credential, body }: HeldRequest): Promise<Finish> {
  const json = JSON.stringify(body);
  const authorization = 'jwt' in credential ? { Authorization: `Bearer ${credential.jwt}` } : { 'X-API-Key': credential.key };
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json), ...authorization };
  const isAuthenticated = authenticated(app, workspaceId);
  const held = request(`${app.url}/api/v1${path}`, { method, headers, agent: false });
  held.write(json.slice(0, 1));
  await isAuthenticated;
  return async () => {
    held.end(json.slice(1));
    const [answer] = (await once(held, 'response')) as [IncomingMessage];
    const { error } = JSON.parse(await text(answer)) as { error?: string };
    return { status: answer.statusCode ?? 0, error };
  };
}

/** A request with a new credential counts for its workspace as soon as the credential was looked up. */
function authenticated({ deps: { limiter } }: TestApp, workspaceId: string): Promise<void> {
  const consume = limiter.consume.bind(limiter);
  return new Promise((resolve) => {
    limiter.consume = async (bucket, res, second) => {
      await consume(bucket, res, second);
      if (![bucket, second].some((each) => each?.rateClass === 'workspace' && each.key === workspaceId)) return;
      limiter.consume = consume;
      resolve();
    };
  });
}
