/** The workspace that the demo uses. */
import { randomBytes } from 'node:crypto';
import { type DemoClient, Refusal } from './demo-client.js';
import { type DemoState, readDemoState, writeDemoState } from './demo-state.js';
import type { Output } from '../output/output.js';
import { StartError } from '../output/start-error.js';
import { countText } from '../../models/rules/values/text.js';

type Story = NonNullable<DemoState['story']>;

const tooManyRequests = 429;
/** SIGNUP does not admit the addresses of the demo. */
const forbidden = 403;

/**
 * Signs up and logs in. If the rate limit or SIGNUP forbids it, uses the workspace of an earlier demo.
 * @returns a JWT
 */
export async function enterWorkspace(client: DemoClient, dataDir: string, output: Output): Promise<string> {
  const state = readDemoState(dataDir);
  try {
    const story = await signUp(client, output);
    if (state !== undefined) writeDemoState(dataDir, { ...state, story });
    return story.token;
  } catch (error) {
    if (state === undefined || !(isLimited(error) || isRefused(error))) throw error;
    return reuse(client, state, output, isLimited(error) ? 'rate limited now' : 'limited by SIGNUP');
  }
}

async function signUp(client: DemoClient, output: Output): Promise<Story> {
  const email = `story-${randomBytes(4).toString('hex')}@tidings.invalid`;
  const password = randomBytes(12).toString('base64url');
  const body = { email, password, company_name: 'Story' };
  await output.step(
    () => client.call<{ workspace: { credits_balance: number } }>('POST', '/auth/signup', { body }),
    ({ workspace }) => `signed up ${email}, ${countText(workspace.credits_balance, 'credit')}`,
  );
  return { email, password, token: await logIn(client, { email, password }, output) };
}

async function logIn(client: DemoClient, { email, password }: { email: string; password: string }, output: Output): Promise<string> {
  const { token } = await output.step(
    () => client.call<{ token: string }>('POST', '/auth/login', { body: { email, password } }),
    () => `logged in as ${email}, JWT received`,
  );
  return token;
}

async function reuse(client: DemoClient, state: DemoState, output: Output, why: string): Promise<string> {
  if (state.story !== undefined) {
    output.note(`sign-up is ${why}: continuing as ${state.story.email} with the JWT of the last demo`);
    return state.story.token;
  }
  output.note(`sign-up is ${why}: continuing with the demo workspace`);
  return logIn(client, state, output).catch((error: unknown) => {
    throw isLimited(error) ? new StartError('Sign-up and login are rate limited now: try again in 15 minutes.') : error;
  });
}

const isRefused = (error: unknown) => error instanceof Refusal && error.status === forbidden;
const isLimited = (error: unknown) => error instanceof Refusal && error.status === tooManyRequests;
