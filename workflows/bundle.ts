/** Build step: writes the workflow bundle to `dist/workflows.js`, so that workers need no bundler. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const { code } = await bundleWorkflowCode({
  workflowsPath: join(import.meta.dirname, 'index.js'),
  workflowInterceptorModules: [join(import.meta.dirname, 'pass-trace.js')],
  preloadModules: [join(import.meta.dirname, 'stack-traces.js')],
  logger: new DefaultLogger('WARN'),
});
await writeFile(join(import.meta.dirname, '../workflows.js'), code);
