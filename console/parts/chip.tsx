/** A status as a word with a sign: its colour is never the only difference. */
type Tone = 'good' | 'bad' | 'busy' | 'quiet';

const tones: Readonly<Record<string, readonly [Tone, string]>> = {
  queued: ['quiet', '○'],
  scheduled: ['quiet', '○'],
  sent: ['busy', '➤'],
  sending: ['busy', '➤'],
  running: ['busy', '➤'],
  delivered: ['good', '✓'],
  read: ['good', '✓✓'],
  succeeded: ['good', '✓'],
  completed: ['good', '✓'],
  active: ['good', '✓'],
  failed: ['bad', '✕'],
  failing: ['bad', '!'],
  stopped: ['bad', '✕'],
  cancelled: ['bad', '✕'],
  inactive: ['bad', '✕'],
  pending: ['busy', '…'],
  held: ['quiet', '‖'],
  paused: ['quiet', '‖'],
};

export function Chip({ status }: { status: string }) {
  const [tone, sign] = tones[status] ?? ['quiet', '·'];
  return (
    <span class={`chip ${tone}`}>
      <span aria-hidden="true">{sign}</span> {status}
    </span>
  );
}
