#!/usr/bin/env node
/** The command `tidings`. */
import { run } from './run.js';

const interrupt = new AbortController();
/** The second Ctrl-C ends at once. */
process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
process.once('SIGTERM', () => interrupt.abort(new Error('terminated')));
process.exitCode = await run(process.argv.slice(2), process, process.env, interrupt.signal);
