import assert from 'node:assert/strict';
import { Terminal } from '../../clients/typescript/command/terminal.js';

describe('what the command tidings writes', () => {
  it('colours are written to a terminal, unless NO_COLOR is set, on each version of Node that the package allows', () => {
    const streams = (isTTY: boolean) => ({ stdin: {}, stdout: { isTTY }, stderr: {} }) as never;
    const styled = (isTTY: boolean, noColor: boolean) => new Terminal(streams(isTTY), false, noColor).style('red', 'no');
    assert.deepEqual([styled(true, false), styled(true, true), styled(false, false)], ['\u001b[31mno\u001b[39m', 'no', 'no']);
  });
});
