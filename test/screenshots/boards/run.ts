/**
 * `npm run screenshots:boards`: starts the whole service beside a Prometheus, lets it work for five minutes in which parts fail, and draws each
 * Grafana board for the documents. With `-- <fault> <folder>` there is only that fault (`faults.ts`), and the pictures go into that folder.
 * The values are real. The drawing is ours: Grafana cannot be installed from the registries that this project uses. Prometheus must be on the PATH.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToExit } from '../../../harness/stage/cleanup.js';
import { say } from '../../../harness/report/say.js';
import { boards } from '../../../local/boards/index.js';
import { root } from '../../deploy/project.js';
import { hasPrometheus } from '../../deploy/prometheus-rules.js';
import { prepareRun } from '../prepare-run.js';
import type { DrawnBoard } from './drawn.js';
import { faultSeconds, faults, timelineWith } from './faults.js';
import { startInstallation, startScraping } from './installation.js';
import { readBoard } from './read-board.js';
import { takePictures } from './take-pictures.js';
import { play, runSeconds, timelineOf } from './timeline.js';
import { makeTraffic, reportOn } from './traffic.js';

const runMsMax = 900_000;
/** The first requests of new processes are slow. */
const warmUpSeconds = 15;
const now = () => Math.floor(Date.now() / 1_000);
const [faultName = '', pictures = join(root, 'docs/images/boards')] = process.argv.slice(2);
const fault = faults[faultName];

await runToExit(runMsMax, async (cleanup) => {
  if (!hasPrometheus) throw new Error('install Prometheus');
  if (process.argv.length > 2 && (fault === undefined || process.argv.length !== 4))
    throw new Error(`name a fault and a folder: ${Object.keys(faults).join(', ')}`);
  const { dataDir, page } = await prepareRun('boards', cleanup);
  const installation = await startInstallation(dataDir, cleanup, fault?.settings);
  for (const carrier of [installation.first, installation.backup]) reportOn(carrier, cleanup);
  await makeTraffic(installation, warmUpSeconds);
  const prometheus = await startScraping(installation, cleanup);
  const from = now();
  const seconds = fault === undefined ? runSeconds : faultSeconds;
  const timeline = fault === undefined ? timelineOf(installation) : timelineWith(faultName, fault, installation, cleanup);
  await Promise.all([makeTraffic(installation, seconds), play(timeline, say)]);
  await sleep(1_000); // the last scrape
  const drawn = new Map<string, DrawnBoard>();
  for (const { name } of boards) drawn.set(name, await readBoard(name, prometheus, { from, to: from + seconds }));
  for (const line of await takePictures(page, drawn, pictures)) say(line);
  return 0;
});
