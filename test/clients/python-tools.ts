/** Runs Python programs with the Python client, from the environment that its tests have in the cache of the user. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../deploy/project.js';
import { pythonPrograms } from '../support/downloads.js';

export const clientFolder = join(root, 'clients/python');
export const testsFolder = join(root, 'test/clients/python');

/** Whether Python can make environments here: Debian has that in a package of its own. */
export const hasPython = (): boolean => spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;

/** The folder of programs: Python with the packages that the client and its tests need. Installs them once, which takes a minute. */
export const pythonBin = (): string => pythonPrograms('python-client', join(testsFolder, 'requirements.txt'));

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  PYTHONPATH: join(clientFolder, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
  ...env,
});

/** Runs one of the programs to its end. @returns what it printed; @throws Error with its output when it fails */
export async function runTool(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: testsFolder, env: environment(env), timeout: 170_000, maxBuffer: 1e8 };
  const { stdout } = await promisify(execFile)(join(pythonBin(), name), args, options).catch(
    (error: Error & Record<'stdout' | 'stderr', string>) => {
      throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
    },
  );
  return stdout;
}

/** Runs Python to its end. */
export const runPython = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> => runTool('python', args, env);

/** Starts a program of the tests. @param onLine called with each line that it prints */
export function startPython(program: string, env: NodeJS.ProcessEnv, onLine: (line: string) => void): ChildProcess {
  const child = spawn(join(pythonBin(), 'python'), [program], {
    cwd: testsFolder,
    env: environment(env),
    stdio: ['pipe', 'pipe', 'inherit'], // if the test is killed, the input of the program ends, and so does the program
  });
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  return child;
}
