/** The state of a webhook in words. */
import type { Schema } from '../../api/call.js';
import { Chip } from '../../parts/chip.js';
import { Time } from '../../parts/time.js';

/** Whether it works, and if not, why. */
export function WebhookStatus({ webhook: { is_active, disabled_reason, failing_since } }: { webhook: Schema<'Webhook'> }) {
  if (!is_active) {
    return (
      <>
        <Chip status="inactive" /> {disabled_reason ?? 'Deactivated. Its events are held'}
      </>
    );
  }
  if (failing_since === null) return <Chip status="active" />;
  return (
    <>
      <Chip status="failing" /> since <Time at={failing_since} />
    </>
  );
}
