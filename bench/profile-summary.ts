/** Where the time of a CPU profile went: by function, by package, and by the function of ours that caused it. */

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

/** The format of `.cpuprofile` files, as far as it is read here. */
export interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

const shownMax = 28;
const idle = '(idle)';

/** The summary in milliseconds per message, line by line. */
export function summarize(profile: CpuProfile, messages: number): string[] {
  const selfUs = selfTimes(profile);
  const parents = parentsOf(profile.nodes);
  const by = (label: (node: ProfileNode) => string) => {
    const sums = new Map<string, number>();
    for (const node of profile.nodes) {
      if (node.callFrame.functionName !== idle) sums.set(label(node), (sums.get(label(node)) ?? 0) + (selfUs.get(node.id) ?? 0));
    }
    return top(sums, messages);
  };
  const busyUs = profile.nodes.reduce((sum, { id, callFrame }) => sum + (callFrame.functionName === idle ? 0 : (selfUs.get(id) ?? 0)), 0);
  return [
    `busy ${perMessage(busyUs, messages)} ms/message`,
    '  by package',
    ...by(({ callFrame }) => packageOf(callFrame)),
    '  by our function that caused it',
    ...by((node) => causeOf(node, parents)),
    '  by function, self',
    ...by(({ callFrame }) => `${callFrame.functionName || '(anonymous)'}  ${placeOf(callFrame)}`),
  ];
}

function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>();
  // A delta tells the time since the sample before: it belongs to that one.
  samples.forEach((id, index) => times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[index + 1] ?? 0)));
  return times;
}

function parentsOf(nodes: ProfileNode[]): Map<number, ProfileNode> {
  return new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
}

function top(sums: Map<string, number>, messages: number): string[] {
  const sorted = [...sums].filter(([, us]) => us > 0).toSorted(([, a], [, b]) => b - a);
  return sorted.slice(0, shownMax).map(([label, us]) => `    ${perMessage(us, messages).padStart(7)}  ${label}`);
}

const perMessage = (us: number, messages: number) => (us / 1000 / messages).toFixed(3);

function packageOf({ functionName, url }: Frame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  if (url.startsWith('node:')) return 'node';
  const inPackages = url.lastIndexOf('node_modules/');
  if (inPackages < 0) return `ours: ${ourPath(url) ?? url}`;
  const [scope = '', name = ''] = url.slice(inPackages + 'node_modules/'.length).split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function causeOf(node: ProfileNode, parents: Map<number, ProfileNode>): string {
  for (let at: ProfileNode | undefined = node; at !== undefined; at = parents.get(at.id)) {
    const { callFrame } = at;
    if (ourPath(callFrame.url) !== undefined) return `${callFrame.functionName || '(anonymous)'}  ${placeOf(callFrame)}`;
  }
  return '(none on the stack)';
}

const placeOf = ({ url, lineNumber }: Frame) =>
  url === '' ? '' : `${ourPath(url) ?? url.slice(url.lastIndexOf('node_modules/') + 1).replace('ode_modules/', '')}:${lineNumber + 1}`;

/** Path from dist/; undefined for what is not ours. */
function ourPath(url: string): string | undefined {
  if (url.includes('node_modules/') || url.startsWith('node:')) return undefined;
  return /\/dist\/(.+)$/.exec(url)?.[1];
}
