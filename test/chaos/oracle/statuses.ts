/** The transitions by reports, written independently from the contract, so that the oracle does not share a mistake with the service. */
import { permutations } from '../../support/measure/permutations.js';

type Said = 'sent' | 'delivered' | 'failed' | 'read';
type Status = 'queued' | 'accepting' | Said;

/** The status after a report; the same status if it changes nothing (docs/contract/messages.md, Statuses). */
function after(status: Status, said: Said, channel: string): Status {
  if (said === 'delivered') return status === 'sent' || status === 'failed' ? 'delivered' : status;
  if (said === 'failed') return status === 'sent' ? 'failed' : status;
  if (said === 'read' && channel === 'whatsapp') return status === 'sent' || status === 'delivered' ? 'read' : status;
  return status;
}

/**
 * Every status in which a message with these reports may end, in whatever order they came: reports overtake each other, and reports that
 * are applied together are sorted.
 * @param perhaps reports that may have been stored or not
 */
export function endsOf(begins: Status, sure: readonly Said[], perhaps: readonly Said[], channel: string): Set<Status> {
  const choices = subsetsOf(perhaps.filter((said) => !sure.includes(said)));
  return new Set(
    choices.flatMap((more) =>
      permutations([...sure, ...more]).map((order) => order.reduce<Status>((now, said) => after(now, said, channel), begins)),
    ),
  );
}

function subsetsOf<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return [[]];
  const others = subsetsOf(rest);
  return [...others, ...others.map((other) => [first, ...other])];
}
