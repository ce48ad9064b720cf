import assert from 'node:assert/strict';
import { ensureDemoWorkspace } from '../../local/demo-workspace.js';
import { type DemoState, readDemoState } from '../../local/demo/demo-state.js';
import { demoWorks } from '../../local/demo/demo-works.js';
import { closeWorkspace } from '../../models/operations/accounts/close-workspace.js';
import { loadConfig } from '../../models/settings/config.js';
import { ApiKey } from '../../models/tables/api-key.js';
import { Workspace } from '../../models/tables/workspace.js';
import { byTest } from '../support/by-test.js';
import { testEnv } from '../support/config.js';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';

describe('the demo workspace at a start', () => {
  const test = useDatabase();
  let env: NodeJS.ProcessEnv;
  let first: DemoState;
  beforeEach(async () => {
    env = testEnv({ DATABASE_URL: test.url });
    first = await provide();
  });
  afterEach(async () => {
    const open = await Workspace.byEmail(first.email);
    if (open !== null) await closeWorkspace(test.db, open.id, byTest);
  });

  /** What a start runs. @returns the stored credentials */
  const provide = async (): Promise<DemoState> => {
    await ensureDemoWorkspace(test.db, loadConfig(env));
    return readDemoState(env.DATA_DIR ?? '') ?? assert.fail('nothing is stored');
  };
  const works = (state: DemoState) => demoWorks(test.url, [env.SECRET_KEY ?? ''], state);

  it('the demo workspace at a start stays as it is while its key works', async () => {
    assert.deepEqual([await works(first), await provide()], [true, first]);
  });

  it('the demo workspace gets no mail, because its address cannot receive any', async () => {
    const { id, email_verified } = (await Workspace.byEmail(first.email)) ?? assert.fail('no workspace');
    assert.equal(email_verified, true);
    assert.deepEqual(await rows(test.db, 'SELECT kind FROM mails WHERE workspace_id = $1', [id]), []);
  });

  it('the demo workspace is made again after its account was closed, so that the printed links work', async () => {
    const { id } = (await Workspace.byEmail(first.email)) ?? assert.fail('no workspace');
    await closeWorkspace(test.db, id, byTest);
    assert.equal(await works(first), false);
    const second = await provide();
    assert.deepEqual([await works(second), second.email], [true, first.email]);
    assert.notEqual(second.api_key, first.api_key);
  });

  it('the demo workspace at a start gets a new key and keeps its password after its key was revoked', async () => {
    const { id } = (await Workspace.byEmail(first.email)) ?? assert.fail('no workspace');
    await ApiKey.update({ is_active: false }, { where: { workspace_id: id } });
    assert.equal(await works(first), false);
    const second = await provide();
    assert.deepEqual([await works(second), second.password], [true, first.password]);
  });
});
