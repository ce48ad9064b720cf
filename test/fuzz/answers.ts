/** What the API answered, read from its log, held against the document. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../api/endpoints/index.js';
import { groupBy } from '../../models/rules/values/group-by.js';
import { documentedStatuses } from '../support/network/response-check.js';

export interface Answer {
  method: string;
  route: string;
  status: number;
}

/** Every answer in the logs of this folder. */
export function readAnswers(folder: string): Answer[] {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.flatMap((line) => {
    if (!line.includes('"msg":"request"')) return [];
    const { method, route, status } = JSON.parse(line) as Answer;
    return [{ method, route, status }];
  });
}

const documented = new Map(endpoints.map((item) => [`${item.method.toUpperCase()} ${item.path}`, documentedStatuses(item)]));

/** A table of statuses, and how many of them nobody expects. */
export function assess(answers: readonly Answer[]): { lines: string[]; faults: number } {
  const counts = new Map<string, number>();
  for (const { method, route, status } of answers) {
    const what = `${status} ${method} ${route}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const statuses = groupBy(answers, ({ status }) => status);
  const faulty = answers.filter((answer) => !isExpected(answer));
  const unheard = [...documented.keys()].filter((operation) => !answers.some(({ method, route }) => `${method} ${route}` === operation));
  return {
    lines: [
      `${answers.length} answers: ${[...statuses]
        .toSorted(([one], [other]) => one - other)
        .map(([status, all]) => `${all.length} × ${status}`)
        .join(', ')}`,
      `operations that were never called: ${unheard.join(', ') || 'none'}`,
      `answers outside the document or 500: ${faulty.length}`,
      ...new Set(faulty.map(({ status, method, route }) => `  ${status} ${method} ${route}`)),
    ],
    faults: faulty.length,
  };
}

/** Where nothing is declared, only 404 is; HEAD is answered as GET, and OPTIONS with 204. */
function isExpected({ method, route, status }: Answer): boolean {
  if (status === 500) return false;
  const statuses = documented.get(`${method === 'HEAD' ? 'GET' : method} ${route}`);
  if (statuses !== undefined) return statuses.has(status);
  return (
    status === 404 ||
    (method === 'OPTIONS' && status === 204) ||
    (['/', '/openapi.json', '/docs'].includes(route) && status === 200 && method !== 'OPTIONS')
  );
}
