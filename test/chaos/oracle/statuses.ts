/** The table of moves by reports, written down anew from the contract: the oracle must not share a mistake with what it judges. */
type Said = 'sent' | 'delivered' | 'failed' | 'read';
type Status = 'queued' | 'accepting' | Said;

/** What a report makes of a message; the same status where it changes nothing (docs/contract/messages.md, Statuses). */
function after(status: Status, said: Said, channel: string): Status {
  if (said === 'delivered') return status === 'sent' || status === 'failed' ? 'delivered' : status;
  if (said === 'failed') return status === 'sent' ? 'failed' : status;
  if (said === 'read' && channel === 'whatsapp') return status === 'sent' || status === 'delivered' ? 'read' : status;
  return status;
}

/**
 * Every status in which a message may end when it got these reports, in whatever order: reports overtake each other, and those that
 * are worked off together are put into an order of their own.
 * @param perhaps reports of which nobody outside knows whether they were stored
 */
export function endsOf(begins: Status, sure: readonly Said[], perhaps: readonly Said[], channel: string): Set<Status> {
  const choices = subsetsOf(perhaps.filter((said) => !sure.includes(said)));
  return new Set(
    choices.flatMap((more) =>
      ordersOf([...sure, ...more]).map((order) => order.reduce<Status>((now, said) => after(now, said, channel), begins)),
    ),
  );
}

function subsetsOf<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return [[]];
  const others = subsetsOf(rest);
  return [...others, ...others.map((other) => [first, ...other])];
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first, index) => ordersOf(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}
