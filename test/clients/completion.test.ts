import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { runCommand } from './run-command.js';
import { channels } from '../../models/channels.js';

/** What bash offers for the last word of a command line. */
function offered(script: string, ...words: string[]): string[] {
  const program = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidings; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const options = { encoding: 'utf8', cwd: import.meta.dirname } as const;
  return execFileSync('bash', ['-uc', program, 'bash', 'tidings', ...words], options)
    .split('\n')
    .filter((line) => line !== '');
}

describe('tidings completion', () => {
  let bash: string;
  before(async () => {
    const { code, stdout } = await runCommand(['completion', 'bash'], {});
    assert.equal(code, 0);
    bash = stdout;
  });

  it('the completion offers commands, options, values and files in bash', () => {
    assert.deepEqual(offered(bash, 'me'), ['messages']);
    assert.deepEqual(offered(bash, '--'), ['--help', '--version']);
    assert.ok(offered(bash, '').includes('completion'));
    assert.deepEqual(offered(bash, 'send', '--'), [
      '--channel',
      '--subject',
      '--html',
      '--reference',
      '--at',
      '--expires',
      '--key',
      '--preview',
      '--wait',
      '--timeout',
      '--json',
      '--help',
    ]);
    assert.deepEqual(offered(bash, 'send', '+15551234567', 'Hello', '--wa'), ['--wait']);
    assert.deepEqual(offered(bash, 'messages', '--status', ''), ['queued', 'sent', 'delivered', 'failed', 'read']);
    assert.deepEqual(offered(bash, 'trigger', 'message.f'), ['message.failed']);
    assert.deepEqual(offered(bash, 'webhooks', 'de'), ['delete', 'deliveries']);
    assert.deepEqual(offered(bash, 'webhooks', '--status', ''), ['pending', 'succeeded', 'failed', 'held']);
    assert.deepEqual(offered(bash, 'batches', ''), ['pause', 'resume', 'cancel']);
    assert.deepEqual(offered(bash, 'completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(offered(bash, 'bulk', 'completion.test.js.'), ['completion.test.js.map']);
  });

  it('the completion offers nothing where any text will do', () => {
    for (const words of [
      ['send', '--subject', ''],
      ['send', ''],
      ['webhooks', 'delete', ''],
      ['nothing', ''],
    ]) {
      assert.deepEqual(offered(bash, ...words), [], words.join(' '));
    }
  });

  it('the completion is registered for the command', () => {
    const registered = execFileSync('bash', ['-euc', `${bash}\ncomplete -p tidings`], { encoding: 'utf8' });
    assert.equal(registered, 'complete -F _tidings tidings\n');
  });

  for (const [shell, first, words] of [
    ['zsh', /^autoload -U \+X bashcompinit/, /^complete -F _tidings tidings$/m],
    [
      'fish',
      /^complete -c tidings -f$/m,
      new RegExp(`^complete -c tidings -n '__fish_seen_subcommand_from send' -l channel -x -a '${channels.join(' ')}'$`, 'm'),
    ],
  ] as const) {
    it(`the completion is printed for ${shell}, and read by it where it is installed`, async () => {
      const { code, stdout } = await runCommand(['completion', shell], {});
      assert.equal(code, 0);
      assert.match(stdout, first);
      assert.match(stdout, words);
      const read = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
      assert.ok(read.error !== undefined || read.status === 0, read.stderr);
    });
  }

  it('the completion for fish offers the options that stand alone', async () => {
    const { stdout } = await runCommand(['completion', 'fish'], {});
    for (const option of ['help', 'version'])
      assert.match(stdout, new RegExp(`^complete -c tidings -n __fish_use_subcommand -l ${option}$`, 'm'));
  });

  it('the completion names the shells it knows', async () => {
    const { code, stderr } = await runCommand(['completion', 'tcsh'], {});
    assert.deepEqual([code, stderr], [2, 'tidings: usage: tidings completion bash | zsh | fish\n']);
  });
});
