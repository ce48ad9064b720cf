/** Summarizes a CPU profile by function, by package, and by the function of ours that caused the time. */

interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
}

interface ProfileNode {
  id: number;
  callFrame: Frame;
  children?: number[];
}

/** The part of the `.cpuprofile` format that is used here. */
export interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

const shownMax = 20;
/** The minimum share of time for a line. */
const shareMin = 0.005;
const idle = '(idle)';

/** The lines of the summary, in milliseconds per message and percent. */
export function summarize(profile: CpuProfile, messages: number): string[] {
  const selfUs = selfTimes(profile);
  const stackOf = stacksIn(profile.nodes);
  const busy = profile.nodes.filter(({ callFrame }) => callFrame.functionName !== idle);
  const busyUs = busy.reduce((sum, { id }) => sum + (selfUs.get(id) ?? 0), 0);
  /** Sums the time by label. A stack that contains a label twice counts once. */
  const by = (labelsOf: (stack: readonly Frame[]) => readonly string[]) => {
    const sums = new Map<string, number>();
    for (const node of busy) {
      for (const label of new Set(labelsOf(stackOf(node)))) sums.set(label, (sums.get(label) ?? 0) + (selfUs.get(node.id) ?? 0));
    }
    return top(sums, busyUs, messages);
  };
  return [
    `busy ${perMessage(busyUs, messages)} ms/message`,
    '  by package, self',
    ...by(([frame]) => (frame === undefined ? [] : [packageOf(frame)])),
    '  by package, with all that it calls',
    ...by((stack) => stack.filter(({ url }) => url !== '' && !url.startsWith('node:')).map(packageOf)),
    '  by our function that caused it; where none is on the stack any more, by what called back',
    ...by((stack) => [causeOf(stack)]),
    '  by our function, with all that it calls',
    ...by((stack) => stack.filter(({ url }) => ourPath(url) !== undefined).map(nameOf)),
    '  by function, self',
    ...by(([frame]) => (frame === undefined ? [] : [nameOf(frame)])),
  ];
}

function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>();
  // A delta is the time since the previous sample, so it counts for that sample.
  samples.forEach((id, index) => times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[index + 1] ?? 0)));
  return times;
}

/** The stack of a node, innermost frame first, without the root. */
function stacksIn(nodes: readonly ProfileNode[]): (node: ProfileNode) => Frame[] {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const stacks = new Map<number, Frame[]>();
  const stackOf = ({ id, callFrame }: ProfileNode): Frame[] => {
    const parent = parents.get(id);
    if (parent === undefined) return callFrame.functionName === '(root)' ? [] : [callFrame];
    const stack = stacks.get(id) ?? [callFrame, ...stackOf(parent)];
    stacks.set(id, stack);
    return stack;
  };
  return stackOf;
}

function top(sums: ReadonlyMap<string, number>, busyUs: number, messages: number): string[] {
  const sorted = [...sums].filter(([, us]) => us > shareMin * busyUs).toSorted(([, a], [, b]) => b - a);
  return sorted
    .slice(0, shownMax)
    .map(([label, us]) => `    ${perMessage(us, messages).padStart(7)} ${((us / busyUs) * 100).toFixed(1).padStart(5)} %  ${label}`);
}

const perMessage = (us: number, messages: number) => (us / 1000 / messages).toFixed(3);

function packageOf({ functionName, url }: Frame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  if (url.startsWith('node:')) return 'node';
  const inPackages = url.lastIndexOf('node_modules/');
  if (inPackages < 0) return ourPath(url) === undefined ? url : `ours: ${ourPath(url)}`;
  const [scope = '', name = ''] = url.slice(inPackages + 'node_modules/'.length).split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

/** The innermost function of ours, else the innermost package, else the outermost function of Node. */
function causeOf(stack: readonly Frame[]): string {
  const ours = stack.find(({ url }) => ourPath(url) !== undefined);
  if (ours !== undefined) return nameOf(ours);
  const theirs = stack.find(({ url }) => url.includes('node_modules/'));
  if (theirs !== undefined) return `[${packageOf(theirs)}]`;
  const event = stack.findLast(({ url }) => url.startsWith('node:')) ?? stack.at(-1);
  return event === undefined ? '(root)' : `[${nameOf(event)}]`;
}

const nameOf = (frame: Frame) => `${frame.functionName || '(anonymous)'}  ${placeOf(frame)}`.trimEnd();
const placeOf = ({ url, lineNumber }: Frame) =>
  url === '' ? '' : `${ourPath(url) ?? url.slice(url.lastIndexOf('node_modules/') + 1).replace('ode_modules/', '')}:${lineNumber + 1}`;

/** The path relative to dist/; undefined for other code. */
function ourPath(url: string): string | undefined {
  if (url.includes('node_modules/') || url.startsWith('node:')) return undefined;
  return /\/dist\/(.+)$/.exec(url)?.[1];
}
