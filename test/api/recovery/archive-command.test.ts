import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '../../deploy/project.js';

describe('the archive_command in docs/recovery.md', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-archive-'));
    mkdirSync(join(folder, 'archive'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Archives a segment with this content, as PostgreSQL does. @returns the exit code */
  const archive = (content: string) => {
    writeFileSync(join(folder, 'segment'), content);
    const [, command = ''] = /^archive_command = '(.+)'$/m.exec(textOf('docs/recovery.md')) ?? [];
    const filledIn = command.replaceAll('%p', 'segment').replaceAll('%f', '01').replaceAll('/archive', join(folder, 'archive'));
    return spawnSync('sh', ['-c', filledIn], { cwd: folder }).status;
  };
  const archived = () => readdirSync(join(folder, 'archive')).map((name) => [name, readFileSync(join(folder, 'archive', name), 'utf8')]);

  it('the archive_command takes a segment again that was archived before a crash, so that archiving goes on', () => {
    assert.equal(archive('one'), 0);
    assert.equal(archive('one'), 0);
    assert.deepEqual(archived(), [['01', 'one']]);
  });

  it('the archive_command completes a segment that was copied in part', () => {
    writeFileSync(join(folder, 'archive', '01.part'), 'o');
    assert.equal(archive('one'), 0);
    assert.deepEqual(archived(), [['01', 'one']]);
  });

  it('the archive_command refuses to replace a segment with another content', () => {
    assert.equal(archive('one'), 0);
    assert.notEqual(archive('two'), 0);
    assert.deepEqual(archived(), [['01', 'one']]);
  });
});
