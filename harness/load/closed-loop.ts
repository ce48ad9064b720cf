export interface Load {
  messages: number;
  clients: number;
  /** No new message starts after this time. */
  secondsMax?: number;
}

/** Runs clients in a closed loop: each starts its next message when the previous one is done. */
export async function closedLoop<Done>(
  send: () => Promise<Done>,
  { messages, clients, secondsMax = Number.POSITIVE_INFINITY }: Load,
): Promise<Done[]> {
  const until = performance.now() + secondsMax * 1000;
  const done: Done[] = [];
  let left = messages;
  const run = async () => {
    while (left > 0 && performance.now() < until) {
      left -= 1;
      done.push(await send());
    }
  };
  await Promise.all(Array.from({ length: Math.min(clients, messages) }, run));
  return done;
}
