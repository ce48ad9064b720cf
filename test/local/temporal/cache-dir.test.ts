import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { cacheDir } from '../../../local/temporal/temporal-program.js';

describe('the folder of programs that were downloaded or built', () => {
  it('the folder of programs is in DATA_DIR if the account has no home', () => {
    const noHome = () => {
      throw new Error('uv_os_homedir returned ENOENT');
    };
    assert.equal(cacheDir({ DATA_DIR: '/data' }, noHome), '/data/cache/tidings');
    assert.equal(cacheDir({ DATA_DIR: '/data', HOME: '/home/ada' }, noHome), '/home/ada/.cache/tidings');
  });

  it('the folder of programs is in the home of the account if HOME is empty', () => {
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
