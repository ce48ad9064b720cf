/** An API whose Temporal answers late: until then sends wait at the accept gate. */
import type { AcceptGate } from '../../../api/accept/accept-gate.js';
import type { AcceptRequest } from '../../../api/outside/temporal.js';
import { until } from '../../support/client.js';
import type { Answer, TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

/** Filled by `start`. */
interface Held {
  app: TestApp;
  /** Sends that have come to the gate. */
  arrived: number;
  /** Counts the sends that come to the gate. */
  counting(gate: AcceptGate): AcceptGate;
  /** What Temporal was asked. */
  asked: AcceptRequest[];
  /** Lets Temporal answer. */
  open(): void;
}

const countingInto = (held: Held) => (gate: AcceptGate) => ({
  ...gate,
  accept: (...send: Parameters<AcceptGate['accept']>) => {
    held.arrived += 1;
    return gate.accept(...send);
  },
});

/** Call it in a `describe`: after each test the books are audited and the API is closed. */
export function useAcceptGate() {
  const gate = {} as Held;
  gate.counting = countingInto(gate);
  const startApi = useApiStarts({ checksBooks: true });
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    gate.app = await startApi({ ACCEPT_LANES: '1', ...env });
    [gate.arrived, gate.asked] = [0, []];
    const opened = new Promise<void>((resolve) => (gate.open = resolve));
    const { deps } = gate.app;
    const { temporal } = deps;
    const { accept } = temporal;
    deps.acceptGate = gate.counting(deps.acceptGate);
    temporal.accept = async (request) => {
      gate.asked.push(request);
      await opened;
      return accept(request);
    };
  };
  const send = (key: string, changes: object = {}, headers: Record<string, string> = {}) =>
    gate.app.call('POST', '/api/v1/messages/send', { key, body: { ...sms, ...changes }, headers });
  const untilAsked = () => until(() => gate.asked.length === 1, 'Temporal is asked');
  const untilArrived = (count: number) => until(() => gate.arrived === count, 'the sends are at the gate');
  /** Sends the first, which holds the only lane, then the others. Temporal answers once all of them are at the gate. */
  const sendTogether = async (sends: (() => Promise<Answer>)[]): Promise<Answer[]> => {
    const [first, ...others] = sends;
    const answers = [first?.()];
    await untilAsked();
    for (const other of others) answers.push(other());
    await untilArrived(sends.length);
    gate.open();
    return Promise.all(answers as Promise<Answer>[]);
  };
  const sizes = () => gate.asked.map(({ messages }) => messages.length);
  return { gate, start, send, untilAsked, untilArrived, sendTogether, sizes };
}
