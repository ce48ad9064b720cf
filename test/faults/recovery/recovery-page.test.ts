/** docs/recovery.md names all commands that a restore undoes, and its commands for containers fit the files that they are about. */
import assert from 'node:assert/strict';
import { commands } from '../../../api/admin/commands/index.js';
import { readCompose } from '../../deploy/compose-file.js';
import { textOf } from '../../deploy/project.js';

describe('docs/recovery.md', () => {
  const text = textOf('docs/recovery.md');

  it('docs/recovery.md lists every command of the operator that changes what a restore loses', () => {
    const reading = ['doctor', 'stuck', 'message', 'messages', 'routes', 'workspace find', 'workspace ledger', 'keys find', 'completion'];
    const steps = ['migrate', 'recover', 'replay-reports']; // of the restore itself; stored reports are applied again without being asked
    const [row = ''] = /^\| Commands of the operator.*$/m.exec(text) ?? [];
    const unnamed = commands.map(({ name }) => name).filter((name) => !new RegExp(`\`${name}\\b`).test(row));
    assert.deepEqual(unnamed.toSorted(), [...reading, ...steps].toSorted());
  });

  it('no command of docs/recovery.md has a password in its arguments, which all users of the machine can see', () => {
    const shell = [...text.matchAll(/^ *```(?:sh)?\n([^]*?)^ *```$/gm)].map(([, lines = '']) => lines).join('');
    assert.match(shell, /pg_restore -d postgres:\/\/\w+@/);
    assert.doesNotMatch(shell, /DATABASE_URL|PGPASSWORD|:\/\/[^@\s]+:[^@\s]+@/);
  });

  it('docs/recovery.md removes the end of a restore again, at which later restores would end too', () => {
    const [, script = ''] = /\n(docker compose run [^]*?)\n```/.exec(text) ?? [];
    const written = [...script.matchAll(/^(?:echo ")?((?:restore|recovery)_\w+) = /gm)].map(([, name]) => name);
    const removed = [...script.matchAll(/'ALTER SYSTEM RESET (\w+)'/g)].map(([, name]) => name);
    assert.ok(written.includes('recovery_target_time'));
    assert.deepEqual(removed, written);
  });

  it('docs/recovery.md gives a restored database the rights that create-databases.sh gives, and names services that exist', () => {
    const script = textOf('deploy/create-databases.sh');
    const [database] = /(?<=CREATE DATABASE )\w+(?= OWNER tidings_owner)/.exec(script) ?? [];
    const [grant] = /GRANT CONNECT ON DATABASE .*(?=;)/.exec(script) ?? [];
    assert.ok(text.includes(`createdb -U postgres --owner tidings_owner ${database}\n`));
    assert.ok(text.includes(`-c 'REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC' -c '${grant}'`));
    const named = [...text.matchAll(/docker compose (?:exec -T|up --detach --wait|restart|run .*--entrypoint sh) ([\w-]+)/g)].map(
      ([, name]) => name,
    );
    const services = new Set(Object.keys(readCompose().services));
    assert.ok(named.length > 8);
    assert.deepEqual(
      named.filter((name = '') => !services.has(name)),
      [],
    );
    const commandOf = (before: string) => new RegExp(`${before}archive_command = ('.*')`, 'm').exec(text)?.[1];
    assert.equal(commandOf('SET '), commandOf('^'));
  });
});
