/** The sandbox's recipients as data (docs/contract/messages.md, The sandbox): the recipient determines what happens to a message. */
import { type AddressKind, type Channel, channelTraits } from '../../channels.js';
import type { ReportStatus } from './status.js';

/** A report that the sandbox will post, `step` delays after the hand-off. */
export interface ScriptedReport {
  status: ReportStatus;
  error_code?: string;
  step: number;
}

export interface Script {
  /** How many calls are first answered with "unavailable". */
  unavailable?: number;
  /** The error code of a hand-off that is refused. */
  refused?: string;
  reports: ScriptedReport[];
}

const delivered: ScriptedReport = { status: 'delivered', step: 1 };
const failed = (error_code: string): Script => ({ reports: [{ status: 'failed', error_code, step: 1 }] });

const refusedAtHandoff: Script = { refused: '30008', reports: [] };
const silent: Script = { reports: [] };
const flaky: Script = { unavailable: 2, reports: [delivered] };
const shuffled: Script = {
  reports: [delivered, { status: 'sent', step: 1 }, delivered, { status: 'sent', step: 2 }, { status: 'delivered', step: 2 }],
};

const byNumber: Readonly<Record<string, Script>> = {
  '+15005550001': refusedAtHandoff,
  '+15005550002': silent,
  '+15005550003': flaky,
  '+15005550005': shuffled,
  '+15005550006': failed('30006'),
  '+15005550007': failed('30007'),
  '+15005550008': failed('30008'),
  '+15005550034': failed('30034'),
};

const byMailbox: Readonly<Record<string, Script>> = {
  refused: refusedAtHandoff,
  bounce: failed('30006'),
  silent,
  flaky,
};

const special: Readonly<Record<AddressKind, (to: string) => Script | undefined>> = {
  phone: (to) => own(byNumber, to),
  email: (to) => own(byMailbox, to.slice(0, to.indexOf('@')).toLowerCase()),
};

const own = (scripts: Readonly<Record<string, Script>>, name: string) => (Object.hasOwn(scripts, name) ? scripts[name] : undefined);

/** The script of the sandbox for a recipient. */
export function scriptFor(channel: Channel, to: string): Script {
  const { address, hasReadReceipts } = channelTraits[channel];
  return special[address](to) ?? { reports: hasReadReceipts ? [delivered, { status: 'read', step: 2 }] : [delivered] };
}
