/** What documents list by hand is complete: a new command, step or price must be listed there. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../api/admin/commands/index.js';
import { bulkWaitMsMax } from '../../api/http/resource-limits.js';
import { statuses } from '../../api/http/errors/error-status.js';
import { channels, channelTraits } from '../../models/channels.js';
import { keywords } from '../../models/rules/contacts/keywords.js';
import { metaFailures } from '../../models/rules/failures/meta.js';
import { postmarkFailures } from '../../models/rules/failures/postmark.js';
import { sesFailures } from '../../models/rules/failures/ses.js';
import { twilioFailures } from '../../models/rules/failures/twilio.js';
import { settings } from '../../models/settings/settings.js';
import { defaultDisableAfterDays, defaultRetryDelays, defaultRetryHours as hours } from '../../models/settings/webhook-settings.js';
import { messageColumns } from '../../models/tables/message.js';
import { outdatedRuntime } from '../../models/process/runtime.js';
import { components } from '../api/openapi/document.js';
import { jsonOf, root, textOf } from './project.js';

/** The cells of the tables of a document, without the marks of code. */
const cellsOf = (path: string) =>
  textOf(path)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .replaceAll('`', '')
        .split('|')
        .map((cell) => cell.trim())
        .filter((cell) => cell !== ''),
    );

/** The texts of all source files in these folders. */
const sourcesIn = (...folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => textOf(`${folder}/${path}`)),
  );

describe('documents list', () => {
  it('docs/commands.md lists every command of the operator', () => {
    const listed = new Set(cellsOf('docs/commands.md').flatMap(([first = '']) => first.split(', ')));
    assert.ok(commands.length > 10);
    assert.deepEqual(
      commands.map(({ name }) => name).filter((name) => !listed.has(name)),
      [],
    );
  });

  it('each short form in docs/commands.md runs the command of its name, which refuses unknown options', () => {
    const [, named = ''] = /^- (`npm run doctor`.*) are short forms/m.exec(textOf('docs/commands.md')) ?? [];
    const names = [...named.matchAll(/`(?:npm run )?([\w-]+)`/g)].map(([, name]) => name ?? '');
    assert.ok(names.length > 5);
    const { scripts } = jsonOf<{ scripts: Record<string, string> }>('package.json');
    for (const name of names) assert.match(scripts[name] ?? '', new RegExp(`dist/api/admin/admin\\.js ${name}$`), name);
  });

  it('docs/watcher.md lists every step of the watcher', () => {
    // Every identifier in quotes is a step there.
    const steps = [...textOf('workflows/run-watcher.ts').matchAll(/'(\w+)'/g)].flatMap(([, name]) => name ?? []);
    assert.ok(steps.includes('countMessages'), 'a step that was added by `patched`');
    const listed = new Set(cellsOf('docs/watcher.md').flatMap(([first = '']) => first.split(', ')));
    assert.ok(steps.length > 12);
    assert.deepEqual(
      steps.filter((name) => !listed.has(name)),
      [],
    );
  });

  it('docs/privacy.md lists every personal column of a message', () => {
    const [, listed = ''] = cellsOf('docs/privacy.md').find(([table]) => table === 'messages') ?? [];
    const personal = Object.entries(messageColumns).filter(([, { isPersonal }]) => isPersonal);
    assert.ok(personal.length > 5);
    assert.deepEqual(
      personal.map(([name]) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(listed)),
      [],
    );
  });

  it('the README names the oldest Node of package.json, and the one of the image, CI and the warning', () => {
    const [, oldest, recommended] = /Node (\S+) or newer \(Node (\d+) is recommended\)/.exec(textOf('README.md')) ?? [];
    assert.equal(jsonOf<{ engines: { node: string } }>('package.json').engines.node, `>=${oldest}`);
    assert.match(textOf('Dockerfile'), new RegExp(`^FROM node:${recommended}\\.`, 'm'));
    assert.match(textOf('.ci/run'), new RegExp(`\\bon_node ${recommended}\\.`));
    assert.match(outdatedRuntime('v21.0.0') ?? '', new RegExp(`: use Node ${recommended}$`));
  });

  it('docs/operations.md names only log lines that exist', () => {
    const [, rest = ''] = textOf('docs/operations.md').split('### Logs');
    const [section = ''] = rest.split('### Probes');
    const named = [...section.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    );
    const sources = sourcesIn('api', 'activities', 'models');
    assert.ok(named.length > 8);
    assert.deepEqual(
      named.filter((text) => !sources.some((source) => source.includes(`'${text}'`))),
      [],
    );
  });

  it('docs/operations.md lists every table', () => {
    const migrations = readdirSync(join(root, 'models/migrations')).map((name) => textOf(`models/migrations/${name}`));
    const tables = migrations.flatMap((text) => [...text.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name));
    const [, section = ''] = textOf('docs/operations.md').split('## Data that grows');
    const listed = [...section.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
    assert.deepEqual(listed.toSorted(), tables.toSorted());
  });

  it('the OpenAPI document lists every failure code', () => {
    const own = sourcesIn('models/operations').flatMap((source) =>
      [...source.matchAll(/\berror_code: '(\w+)'/g)].map(([, code = '']) => code),
    );
    assert.ok(own.includes('cancelled'));
    const tables = [metaFailures, postmarkFailures, sesFailures, twilioFailures];
    const mapped = tables.flatMap((table) => Object.values(table).map(({ code }) => code));
    const shown = JSON.stringify(components.schemas.MessageFailedEventData);
    assert.deepEqual(
      [...new Set([...own, ...mapped])].filter((code) => !new RegExp(`\\b${code}\\b`).test(shown)),
      [],
    );
  });

  it('docs/contract/errors.md lists every error code with its status', () => {
    const [, table = ''] = /^## Codes\n([^]*?)^## /m.exec(textOf('docs/contract/errors.md')) ?? [];
    const listed = [...table.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].flatMap(([, status, codes = '']) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`),
    );
    assert.deepEqual(
      listed.toSorted(),
      Object.entries(statuses)
        .map(([code, status]) => `${status} ${code}`)
        .toSorted(),
    );
  });

  it('docs/limits.md says how long a large body waits for its turn', () => {
    assert.ok(textOf('docs/limits.md').includes(`20 more wait unread, ${bulkWaitMsMax / 1000} s at most`));
  });

  it('docs/limits.md says how much memory the bodies and unread responses of a workspace may use', () => {
    const memory = sourcesIn('api/http').find((source) => source.includes('workspaceMemory: new MemoryBudget')) ?? '';
    const inUnits = (product: string) => product.replace('512 * 1024', '512 kB').replace('* megabyte', 'MB');
    for (const [row, name] of [
      ['bytes of request bodies in memory', 'workspaceMemory'],
      ['bytes of responses to reads that clients have not taken yet', 'answerMemory'],
    ] as const) {
      const form = `${name}: .*maxBytes: ([^,]+), maxBytesPerOwner: ([^,]+), guaranteedBytesPerOwner: ([^}]+) }`;
      const [, all = '', each = '', least = ''] = (new RegExp(form).exec(memory) ?? []).map(inUnits);
      assert.ok(textOf('docs/limits.md').includes(`| ${row} | ${each}, of ${all} for all; ${least} when all are used up`), row);
    }
  });

  it('docs/limits.md and docs/contract/limits.md list every quota and rate limit', () => {
    const texts = textOf('docs/limits.md') + textOf('docs/contract/limits.md');
    const names = Object.keys(settings).filter((name) => /^(?:MAX|RATE_LIMIT)_/.test(name));
    assert.ok(names.length > 10);
    assert.deepEqual(
      names.filter((name) => !texts.includes(`\`${name}\``)),
      [],
    );
  });

  it('docs/carriers.md lists the words of opt-outs', () => {
    for (const [language, { stop, start = [] }] of Object.entries(keywords)) {
      const row = `| ${language} | ${stop.join(', ')} | ${start.join(', ')} |`.replace('|  |', '| |');
      assert.ok(textOf('docs/carriers.md').includes(row), row);
    }
  });

  it('docs/webhooks.md and docs/privacy.md state the retry schedule of webhooks, and when one is disabled', () => {
    const inWords = (seconds: number) => {
      if (seconds < 60) return `${seconds} s`;
      return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
    };
    assert.ok(textOf('docs/webhooks.md').includes(`after ${defaultRetryDelays.map(inWords).join(', ')} (about ${hours} hours in all`));
    assert.ok(textOf('docs/webhooks.md').includes(`acknowledges nothing for ${defaultDisableAfterDays} days (\`WEBHOOK_DISABLE_AFTER\`)`));
    assert.ok(textOf('docs/privacy.md').includes(`about ${hours} hours by default`));
  });

  for (const path of ['README.md', 'docs/contract/messages.md'])
    it(`${path} states the price of each channel`, () => {
      const prices = new Map(cellsOf(path).map(([channel = '', price = '']) => [channel, price]));
      for (const channel of channels) {
        const { price } = channelTraits[channel];
        const wanted = 'perPart' in price ? [price.partCodePoints, price.perPart / 1000] : [price.perMessage / 1000];
        const documented = new Set(prices.get(channel)?.match(/\d+(\.\d+)?/g));
        for (const number of wanted) assert.ok(documented.has(String(number)), `${channel}: ${prices.get(channel)} without ${number}`);
      }
    });
});
