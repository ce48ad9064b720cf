/** .oxlintrc.json says who may import whom. This test breaks each rule once, in a copy, to check that the linter notices. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './project.js';

/** Broken rules: file, import, and a part of the linter's message. */
const refused: [file: string, line: string, advice: string][] = [
  ['models/a.ts', "import { x } from '../api/app.js'", 'models/ imports nothing of ours'],
  ['models/rules/b.ts', "import { x } from '../../workflows/contract.js'", 'models/ imports nothing of ours'],
  ['models/operations/c.ts', "import type { X } from '../../activities/index.js'", 'models/ imports nothing of ours'],
  ['models/d.ts', "import { Client } from '@temporalio/client'", 'models/ knows neither HTTP nor Temporal'],
  ['models/e.ts', "import express from 'express'", 'models/ knows neither HTTP nor Temporal'],
  ['models/rules/messages/f.ts', "import type { X } from '../../operations/messages/read-timeline.js'", 'models/rules/ is pure'],
  ['models/rules/messages/g.ts', "import { connect } from '../../db/database.js'", 'models/rules/ is pure'],
  ['models/rules/messages/h.ts', "import type { MessageRow } from '../../tables/message.js'", 'models/rules/ is pure'],
  ['models/rules/routing/n.ts', "import type { Config } from '../../settings/config.js'", 'models/rules/ is pure'],
  ['models/rules/i.ts', "import { Op } from 'sequelize'", 'models/rules/ is pure'],
  ['models/rules/values/l.ts', "import { x } from '../../network/name-resolver.js'", 'models/rules/ is pure'],
  ['models/rules/values/m.ts', "import { x } from '../../startup/installation.js'", 'models/rules/ is pure'],
  ['models/tables/j.ts', "import { x } from '../operations/billing/post-credits.js'", 'models/operations/ stands on this folder'],
  ['models/network/o.ts', "import { x } from '../operations/billing/post-credits.js'", 'models/operations/ stands on this folder'],
  ['models/settings/k.ts', "import { x } from '../../api/app.js'", 'models/ imports nothing of ours'],
  ['models/circle-a.ts', "import type { B } from './circle-b.js'; export interface A { b: B }", 'Dependency cycle'],
  ['models/circle-b.ts', "import type { A } from './circle-a.js'; export interface B { a: A }", 'Dependency cycle'],
  ['activities/a.ts', "import { x } from '../api/app.js'", 'activities/ imports models/, and contract.js and starts.js'],
  [
    'activities/handoff/providers/b.ts',
    "import { x } from '../../../local/start.js'",
    'activities/ imports models/, and contract.js and starts.js',
  ],
  ['activities/c.ts', "import { x } from '../workflows/index.js'", 'import them from workflows/contract.js'],
  ['workflows/a.ts', "import { x } from '../models/tables/message.js'", 'write `import type`'],
  ['workflows/messages/a.ts', "import { x } from '../../models/tables/message.js'", 'write `import type`'],
  ['workflows/b.ts', "import { createActivities } from '../activities/index.js'", 'write `import type`'],
  ['workflows/c.ts', "import type { X } from '../api/app.js'", 'workflows/ imports itself and types of activities/ and models/'],
  ['workflows/d.ts', "import { readFile } from 'node:fs/promises'", 'imports only @temporalio/workflow'],
  ['workflows/e.ts', "import crypto from 'crypto'", 'imports only @temporalio/workflow'],
  ['workflows/f.ts', "import Joi from 'joi'", 'imports only @temporalio/workflow'],
  ['workflows/g.ts', "import { Sequelize } from 'sequelize'", 'imports only @temporalio/workflow'],
  ['workflows/h.ts', "import { pino } from 'pino'", 'imports only @temporalio/workflow'],
  ['workflows/i.ts', "import { Client } from '@temporalio/client'", 'imports only @temporalio/workflow'],
  ['workflows/j.ts', "import { Worker } from '@temporalio/worker'", 'imports only @temporalio/workflow'],
  ['workflows/k.ts', "import { Context } from '@temporalio/activity'", 'imports only @temporalio/workflow'],
  ['api/a.ts', "import { x } from '../activities/index.js'", 'let a workflow call the activity'],
  ['api/endpoints/b.ts', "import { x } from '../../local/start.js'", 'let a workflow call the activity'],
  ['api/c.ts', "import { x } from '../workflows/messages/send-message.js'", 'import them from workflows/contract.js'],
  ['api/d.ts', "import { Worker } from '@temporalio/worker'", 'the worker is another process'],
  ['api/http/e.ts', "import type { X } from '../endpoints/index.js'", 'stands on api/http/'],
  ['api/http/h.ts', "import type { Deps } from '../deps.js'", 'stands on api/http/'],
  ['api/http/i.ts', "import { x } from '../tracing/trace-request.js'", 'stands on api/http/'],
  ['api/http/errors/j.ts', "import { endpoint } from '../../declare.js'", 'stands on api/http/'],
  ['api/http/f.ts', "import { Client } from '@temporalio/client'", 'api/http/ knows HTTP only'],
  ['api/http/g.ts', "import { x } from '../../activities/index.js'", 'let a workflow call the activity'],
  ['activities/handoff/d.ts', "import type { ActivityDeps } from '../index.js'", 'is not known to them'],
  ['activities/webhooks/e.ts', "import { createWorkers } from '../worker/workers.js'", 'is not known to them'],
  ['local/a.ts', "import { createApp } from '../api/app.js'", 'local/ starts the other folders as processes'],
  ['local/b.ts', "import { x } from '../workflows/index.js'", 'import them from workflows/contract.js'],
  ['bench/cases/a.ts', "import { x } from '../../test/support/client.js'", 'bench/ and test/ do not import each other'],
  ['test/soak/a.ts', "import { x } from '../../bench/cases/cases.js'", 'bench/ and test/ do not import each other'],
  ['harness/stage/a.ts', "import { x } from '../../test/support/client.js'", 'bench/ and test/ import it'],
  ['harness/stage/b.ts', "import type { X } from '../../bench/cases/cases.js'", 'bench/ and test/ import it'],
  ['harness/stage/c.ts', "import { x } from '../../workflows/index.js'", 'import them from workflows/contract.js'],
  ['clients/typescript/client/a.ts', "import { createHash } from 'node:crypto'", 'not even on Node'],
  ['clients/typescript/client/b.ts', "import { parse } from 'csv-parse'", 'not even on Node'],
  ['clients/typescript/client/c.ts', "import { x } from '../command/terminal.js'", 'not even on Node'],
  ['clients/typescript/webhooks.ts', "import { x } from '../../models/rules/webhooks/signed-headers.js'", 'only passes on verify/'],
  ['clients/typescript/command/d.ts', "import { x } from '../../../models/rules/webhooks/signed-headers.js'", 'nothing of the service'],
  ['clients/typescript/command/e.ts', "import Joi from 'joi'", 'nothing of the service'],
  ['console/app/a.ts', "import { readFile } from 'node:fs/promises'", 'nothing of Node'],
  ['console/api/e.ts', "import { x } from '../parts/table.js'", 'stand on this folder'],
  ['console/state/f.ts', "import { x } from '../app/app.js'", 'stand on this folder'],
  ['console/state/b.ts', "import Joi from 'joi'", 'nothing of Node'],
  ['console/parts/c.ts', "import { priceOf } from '../../models/rules/billing/credits.js'", 'what its API tells'],
  ['console/screens/send/d.ts', "import type { X } from '../../../api/present/presenters.js'", 'what its API tells'],
  ['models/m.ts', "import { x } from '../clients/typescript/client/index.js'", 'models/ imports nothing of ours'],
  ['models/flow/l.ts', "import { x } from '../../harness/stage/service.js'", 'models/ imports nothing of ours'],
];

/** What the rooms are for: none of these may be refused. */
const allowed: [file: string, line: string][] = [
  ['clients/typescript/client/ok-a.ts', "import { x } from './transport.js'"],
  ['clients/typescript/command/ok-b.ts', "import { Tidings } from '../client/index.js'"],
  ['clients/typescript/command/ok-e.ts', "import { x } from './terminal.js'"],
  ['clients/typescript/command/ok-f.ts', "import { readFile } from 'node:fs/promises'"],
  ['clients/typescript/command/ok-c.ts', "import { parse } from 'csv-parse'"],
  ['clients/typescript/build/ok-d.ts', "import { openapi } from '../../../api/openapi/openapi.js'"],
  ['console/screens/send/ok-g.ts', "import { call } from '../../api/call.js'"],
  ['console/state/ok-j.ts', "import { urlOf } from '../api/base.js'"],
  ['console/parts/ok-h.ts', "import { signal } from '@preact/signals'"],
  ['console/build/ok-i.ts', "import { build } from 'esbuild'"],
  ['models/ok-a.ts', "import { x } from './rules/billing/credits.js'"],
  ['models/settings/ok-d.ts', "import type { Route } from '../rules/routing/route.js'"],
  ['api/http/ok-c.ts', "import { isTracing } from '../../models/tracing/tracing.js'"],
  ['harness/stage/ok-a.ts', "import { start } from '../../local/start.js'"],
  ['bench/cases/ok-b.ts', "import { x } from '../../harness/load/sender.js'"],
  ['test/soak/ok-b.ts', "import { x } from '../../harness/load/sender.js'"],
  ['models/rules/ok-b.ts', "import { createHmac } from 'node:crypto'"],
  ['activities/ok-a.ts', "import { Message } from '../models/tables/message.js'"],
  ['activities/worker.ts', "import { queues } from '../workflows/contract.js'"],
  ['workflows/ok-a.ts', "import { proxyActivities } from '@temporalio/workflow'"],
  ['workflows/ok-b.ts', "import type { Activities } from '../activities/index.js'"],
  ['workflows/ok-c.ts', "import { queues } from './contract.js'"],
  ['workflows/bundle.ts', "import { bundleWorkflowCode } from '@temporalio/worker'"],
  ['api/ok-a.ts', "import { Client } from '@temporalio/client'"],
  ['api/endpoints/ok-b.ts', "import { workflowIds } from '../../workflows/contract.js'"],
  ['local/ok-a.ts', "import { loadConfig } from '../models/settings/config.js'"],
  ['bench/ok-a.ts', "import { start } from '../local/start.js'"],
  ['test/api/ok-a.ts', "import { createApp } from '../../api/app.js'"],
];

interface Diagnostic {
  code: string;
  message: string;
  help?: string;
  filename: string;
}

/** Lints all samples at once, without types (the import rules need none), and returns what was said of each file. */
function lintSamples(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-lint-'));
  try {
    const settings = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify({ ...settings, $schema: undefined, options: {} }));
    cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    for (const [file, line] of [...refused, ...allowed]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${line};\n`);
    }
    const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format=json'], { cwd: folder, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
    const imports = diagnostics.filter(({ code }) => /no-restricted-imports|no-cycle/.test(code));
    return new Map(imports.map(({ filename, message, help }) => [filename, `${message} ${help ?? ''}`]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('import rules', () => {
  let said: Map<string, string>;
  before(() => {
    said = lintSamples();
  });

  for (const [file, line, advice] of refused) {
    it(`an import is refused in ${file}: ${line}`, () => {
      const answer = said.get(file) ?? 'nothing';
      assert.ok(answer.includes(advice), `expected "${advice}", lint said: ${answer}`);
    });
  }

  for (const [file, line] of allowed) {
    it(`an import is allowed in ${file}: ${line}`, () => {
      assert.equal(said.get(file), undefined);
    });
  }
});
