import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { cacheDir } from '../../../local/temporal/temporal-program.js';

describe('the folder of programs that were downloaded or built', () => {
  it('is in DATA_DIR where the account has no home', () => {
    const noHome = () => {
      throw new Error('uv_os_homedir returned ENOENT');
    };
    assert.equal(cacheDir({ DATA_DIR: '/data' }, noHome), '/data/cache/tidings');
    assert.equal(cacheDir({ DATA_DIR: '/data', HOME: '/home/ada' }, noHome), '/home/ada/.cache/tidings');
  });

  it('is in the home of the account where HOME is empty', () => {
    const { HOME } = process.env;
    process.env.HOME = '';
    try {
      assert.equal(cacheDir({ HOME: '' }), join(userInfo().homedir, '.cache/tidings'));
    } finally {
      if (HOME === undefined) delete process.env.HOME;
      else process.env.HOME = HOME;
    }
  });
});
