/** The Python package as somebody installs it, its types, and that its generated files are those of the OpenAPI document. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classOf } from '../../clients/python/build/python-syntax.js';
import { generatePython } from '../../clients/python/build/write-python.js';
import { useApi } from '../api/use-api.js';
import { pythonWheels } from '../support/downloads.js';
import { clientFolder, hasPython, pythonBin, runTool, testsFolder } from './python-tools.js';

const program = `
import os
from importlib.metadata import requires, version
from tidings_client import Tidings, TidingsError, __version__
with Tidings(os.environ["KEY"], os.environ["BASE"]) as tidings:
    message = tidings.messages.send({"to": "+15551234567", "channel": "sms", "content": {"text": "Hello"}})
    assert [each["id"] for each in tidings.messages.list(status="queued")] == [message["id"]]
    try:
        tidings.messages.get("none")
    except TidingsError as error:
        print(error.status, version("tidings-client"), __version__)
`;

describe('the package tidings-client for Python', function () {
  this.timeout(180_000);
  const app = useApi();
  let folder: string;
  before(function () {
    folder = mkdtempSync(join(tmpdir(), 'tidings-wheel-'));
    if (!hasPython()) this.skip();
    pythonBin();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('the Python package is a wheel that is installed and runs in a clean environment', async () => {
    const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] };
    const pip = join(pythonBin(), 'pip');
    const pack = ['wheel', '--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, clientFolder];
    execFileSync(pip, ['--disable-pip-version-check', ...pack], quiet);
    const wheels = readdirSync(folder);
    assert.deepEqual(wheels, ['tidings_client-1.0.0-py3-none-any.whl']);
    const clean = join(folder, 'clean');
    execFileSync('python3', ['-m', 'venv', '--without-pip', clean], quiet);
    const python = join(clean, 'bin/python');
    // From the packages of the cache: the versions are pinned, so that a failure comes from the change.
    const from = ['--no-index', '--find-links', pythonWheels(pythonBin(), join(testsFolder, 'requirements.txt'))];
    const install = ['--python', python, 'install', '--quiet', ...from, join(folder, wheels[0] ?? '')];
    execFileSync(pip, ['--disable-pip-version-check', ...install], quiet);
    const { key: KEY } = await app.account();
    const env = { PATH: process.env.PATH, BASE: app.url, KEY };
    const { stdout } = await promisify(execFile)(python, ['-I', '-c', program], { cwd: folder, env });
    assert.equal(stdout, '404 1.0.0 1.0.0\n');
  });

  it('the package tidings-client for Python accepts correct calls and refuses wrong ones in mypy', async () => {
    const config = join(clientFolder, 'pyproject.toml');
    const cache = join(pythonBin(), '../mypy'); // what it knows of the library of Python, which takes seconds
    for (const version of ['3.10', '3.14']) {
      const options = ['--strict', '--warn-unused-ignores', '--python-version', version, '--cache-dir', cache];
      await runTool('mypy', ['--config-file', config, ...options, join(testsFolder, 'typed.py'), join(clientFolder, 'src')]);
    }
  });

  it('the package tidings-client for Python needs nothing newer than Python 3.9', async () => {
    await runTool('vermin', ['--target=3.9-', '--violations', '--quiet', join(clientFolder, 'src')]);
  });

  it('the Python package has the form and the habits that ruff checks', async () => {
    const paths = [join(clientFolder, 'src'), testsFolder];
    const options = ['--config', join(clientFolder, 'pyproject.toml'), '--no-cache', ...paths];
    await runTool('ruff', ['check', ...options]);
    await runTool('ruff', ['format', '--check', ...options]);
  });

  it('the Python package has the types of the OpenAPI document, and its sync half is like the async half', () => {
    for (const [file, text] of generatePython()) assert.ok(readFileSync(file, 'utf8') === text, `run npm run generate: ${file}`);
  });
});

describe('the types of the client for Python', () => {
  it('an object without a name is refused with the field that has it', () => {
    const counts = { type: 'object', properties: { queued: { type: 'integer' } } };
    const schema = { type: 'object', properties: { counts }, required: ['counts'] };
    assert.throws(
      () => classOf('BatchCompletedEventData', schema, false),
      /^Error: BatchCompletedEventData\.counts: an object needs a name/,
    );
  });
});
