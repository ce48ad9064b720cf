import assert from 'node:assert/strict';

/** The least CPU time of ten tries, in milliseconds: other work of the process, such as collecting garbage, can only add to it. */
function cpuCost(use: () => unknown): number {
  const tries = Array.from({ length: 10 }, () => {
    const from = process.cpuUsage();
    use();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  });
  return Math.min(...tries);
}

/** Fails if an input of four times the length costs much more than four times the CPU time. The square would be 16 times. */
export function assertLinear<Input>(use: (input: Input) => unknown, of: (length: number) => Input, length = 8_000): void {
  const [short, long] = [of(length), of(4 * length)];
  const [less, more] = [cpuCost(() => use(short)), cpuCost(() => use(long))];
  assert.ok(more < 8 * less + noiseMs, `${less} ms, and ${more} ms for four times the length`);
}

const noiseMs = 10;
