/**
 * The least CPU time of ten tries, in milliseconds: other work of the process, such as collecting garbage, can only add to it. For tests that
 * compare an input with one of four times its length.
 */
export function cpuCost(use: () => unknown): number {
  const tries = Array.from({ length: 10 }, () => {
    const from = process.cpuUsage();
    use();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  });
  return Math.min(...tries);
}
