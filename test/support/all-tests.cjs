/** Mocha's settings for `npm test`: those for single files, and all files in an order that keeps both cores busy. */
const { readdirSync } = require('node:fs');
const { join, relative } = require('node:path');

const tests = join(__dirname, '../../dist/test');
/** Tests in these folders mostly wait: for timeouts, for processes that start, or for pages. The others compute. */
const waiting = ['workflows', 'faults', 'local', 'console'];
/** How much of the run is over when their last file starts. A long file at the end would leave a core idle. */
const waitingShare = 0.85;
/** Its files are short, so they are the last ones. */
const last = 'models';

const filesIn = (folder) =>
  readdirSync(join(tests, folder), { recursive: true })
    .filter((path) => path.endsWith('.test.js'))
    .toSorted((one, other) => one.localeCompare(other))
    .map((path) => join(relative(process.cwd(), tests), folder, path));

/** Spreads files evenly. @returns each file with its place in the run, between 0 and the share */
const spread = (files, share) => files.map((file, index) => ({ file, place: ((index + 0.5) / files.length) * share }));

const others = readdirSync(tests).filter((folder) => !waiting.includes(folder) && folder !== last);
const computing = [...others.toSorted((one, other) => one.localeCompare(other)), last].flatMap(filesIn);
const placed = [...spread(computing, 1), ...waiting.flatMap((folder) => spread(filesIn(folder), waitingShare))];

module.exports = {
  ...require('../../.mocharc.json'),
  spec: placed.toSorted((one, other) => one.place - other.place).map(({ file }) => file),
};
