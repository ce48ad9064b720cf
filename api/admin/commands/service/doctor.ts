import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command } from '../../command.js';

/** It belongs to the workers, because it knows the carriers; so it runs as a program of its own. */
const program = resolve(import.meta.dirname, '../../../../activities/doctor/doctor.js');

export const doctorCommand: Command = {
  name: 'doctor',
  takes: [],
  isLocal: true,
  summary:
    'Check settings, database, Temporal, Redis, mail, carriers, payments, addresses and clocks, and say what to do. Fails if a check failed.',
  async run({ values: { json = false } }) {
    const { code, out, err } = await runDoctor(json === true ? ['--json'] : []);
    if (out === '') throw new Error(err.trim());
    return { ok: code === 0, isReport: true, text: out.trimEnd(), data: json === true ? (JSON.parse(out) as object) : {} };
  },
};

function runDoctor(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(process.execPath, ['--enable-source-maps', program, ...args], (error, out, err) => {
      done({ code: error === null ? 0 : 1, out, err });
    });
  });
}
