/** The code blocks of the documents, and a shell that runs them one after another. */
import { type ChildProcess, spawn } from 'node:child_process';
import { textOf } from './project.js';

export interface Block {
  path: string;
  /** The line on which it starts. */
  line: number;
  language: string;
  code: string;
}

/** All code blocks of a document in its order, without the indentation of lists. */
export function blocksOf(path: string): Block[] {
  const text = textOf(path);
  return [...text.matchAll(/^( *)```(\w+)\n([^]*?)^ *```$/gm)].map(({ 1: indent = '', 2: language = '', 3: code = '', index }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** A terminal: what one block exports, the next one sees. */
export class Shell {
  readonly #child: ChildProcess;
  #output = '';
  #heard: () => void = () => undefined;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn('bash', [], { cwd, env, stdio: 'pipe', detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
        this.#heard();
      });
    }
  }

  /** Starts code that may never end. */
  start(code: string): void {
    this.#child.stdin?.write(`${code}\n`);
  }

  /** Runs code to its end. @returns what it printed, and the exit code of its last command */
  async run(code: string): Promise<{ printed: string; exitCode: number }> {
    const mark = `@@ended-${this.#output.length}`;
    const before = this.#output.length;
    this.start(`${code}\necho "${mark} $?"`);
    const ended = new RegExp(`${mark} (\\d+)\n`);
    await this.until(ended);
    const printed = this.#output.slice(before);
    return { printed: printed.replace(ended, ''), exitCode: Number(ended.exec(printed)?.[1]) };
  }

  /** Resolves when it has printed this. */
  until(pattern: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = () => {
        if (pattern.test(this.#output)) resolve();
      };
      this.#heard();
    });
  }

  /** Kills the shell with everything that it started. */
  close(): void {
    process.kill(-(this.#child.pid as number), 'SIGKILL');
  }
}
