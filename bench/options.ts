/** Command line of `npm run bench`. */
import { parseArgs } from 'node:util';

export const caseKeys = ['a', 'b', 'c', 'd', 'e', 'f', 'p'] as const;
export type CaseKey = (typeof caseKeys)[number];

export interface Options {
  /** Messages per measured pass. */
  messages: number;
  /** Concurrent sends. */
  clients: number;
  cases: readonly CaseKey[];
  /** Sends in the pass with one client. */
  alone: number;
  /** How often the cases take turns, so that other load on the machine affects them alike. */
  rounds: number;
  /** A case stops sending after this time, so that the run also ends on a slow machine. */
  secondsMax: number;
  /** Messages of the soak, which replaces the cases; 0: no soak. */
  soak: number;
  /** Maximum number of single messages per workflow (`ACCEPT_GROUP_MAX`). */
  groupMax: number;
  /** Measures a real adapter and its reports instead of the cases. */
  reports: boolean;
  /** Measures an outage of one of two accounts instead of the cases. */
  outage: boolean;
  /** The rates of case f in sends per second. */
  rates: readonly number[];
  /** Recipients of the larger batch of case d, and of the batches of case e. */
  recipients: number;
  /** Writes docs/performance.md from this run. */
  page: boolean;
  /** Records CPU profiles of API and worker in one case. */
  profile: boolean;
}

export const usage = `npm run bench -- [options]
  --messages 1000    messages of each case
  --clients 16       sends that are open at once
  --cases a,b,c,d,e,f,p  a bare workflow, b single sends, c single sends with one webhook on all events,
                     d batches of 3,000 and 10,000 with one webhook, e single sends and other calls during a batch,
                     f single sends with one webhook that arrive at fixed rates (open loop),
                     p single sends with a workflow for each, from an API process with ACCEPT_GROUP_MAX=1
  --rate 20,50,100,200  sends a second of case f; without --cases that case alone
  --recipients 10000 size of the larger batch of case d, and of that of case e
  --alone 60         sends of the pass with one client (0: none)
  --rounds 3         turns in which each case is measured
  --seconds 45       longest time in which one case sends
  --group-max 100    maximum number of single messages that share a workflow; 1: a workflow for every message
  --profile          CPU profiles of API and worker in the first of: case b, the larger batch of case d, case c
  --page             write docs/performance.md from this run
  --reports          CPU of a hand-off by a carrier's adapter beside the sandbox, and 500 reports a second while sending goes on
  --outage           one of two accounts of a channel stops answering, and heals: 3 to 7 minutes
  --soak 100000      so many single messages with one webhook, memory and disk at every tenth, instead of the cases;
                     100 clients unless set otherwise`;

/**
 * Parses the command line.
 * @throws Error with a text for the console
 */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      messages: { type: 'string', default: '1000' },
      clients: { type: 'string' },
      cases: { type: 'string' },
      rate: { type: 'string' },
      alone: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '45' },
      soak: { type: 'string' },
      reports: { type: 'boolean', default: false },
      outage: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      recipients: { type: 'string', default: '10000' },
      'group-max': { type: 'string', default: '100' },
    },
  });
  return {
    messages: count('messages', values.messages, 1, 100_000),
    clients: count('clients', values.clients ?? (values.soak === undefined ? '16' : '100'), 1, 500),
    cases: readCases(values.cases ?? (values.rate === undefined ? caseKeys.join(',') : 'f')),
    rates: (values.rate ?? '20,50,100,200').split(',').map((text) => count('rate', text, 1, 5_000)),
    alone: count('alone', values.alone, 0, 10_000),
    rounds: values.profile ? 1 : count('rounds', values.rounds, 1, 100), // a profile covers one continuous period
    secondsMax: count('seconds', values.seconds, 1, 3_600),
    soak: values.soak === undefined ? 0 : count('soak', values.soak, 100, 1_000_000),
    reports: values.reports,
    outage: values.outage,
    page: values.page,
    profile: values.profile,
    recipients: count('recipients', values.recipients, 1, 10_000),
    groupMax: count('group-max', values['group-max'], 1, 100),
  };
}

function count(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
  return value;
}

function readCases(text: string): CaseKey[] {
  const given = text.split(',');
  const unknown = given.find((key) => !caseKeys.some((known) => known === key));
  if (unknown !== undefined) throw new Error(`--cases: "${unknown}" is none of ${caseKeys.join(', ')}`);
  return caseKeys.filter((key) => given.includes(key));
}
