import assert from 'node:assert/strict';
import { join } from 'node:path';
import { StartError } from '../../../local/output/start-error.js';
import { giveTo } from '../../../local/processes/unprivileged.js';
import { temporaryFolder } from './stand-in.js';

describe('folders of servers without root rights', () => {
  it('a folder whose owner cannot be changed is refused in one sentence', () => {
    const folder = temporaryFolder();
    const missing = join(folder.path, 'missing'); // the system refuses it for root, too
    assert.throws(
      () => giveTo(missing, { uid: 65_534, gid: 65_534 }),
      (error) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, /missing cannot be given to the account 65534 \(ENOENT.*\): set DATA_DIR to .*\.$/);
        return true;
      },
    );
    folder.remove();
  });
});
