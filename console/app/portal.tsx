/** The portal of a webhook: its screen and its deliveries, and nothing around them, so that it fits into a frame. */
import { Route } from 'preact-iso';
import { isPortalOpen } from '../state/portal.js';
import { to } from '../api/base.js';
import { Screen } from '../parts/screen.js';
import { Main } from './main-part.js';
import { NotFound } from './other-screens.js';
import { screenPart } from './screen-part.js';

const Webhook = screenPart(async () => (await import('../screens/webhooks/webhook.js')).Webhook);
const Delivery = screenPart(async () => (await import('../screens/webhooks/delivery.js')).Delivery);

const LinkEnded = () => (
  <Screen title="This link is not valid any more">
    <p>A link is valid for one hour, and only in the tab that opened it. Ask its sender for a new one.</p>
  </Screen>
);

export function Portal() {
  if (!isPortalOpen.value) {
    return (
      <Main key="ended" class="public">
        {[<Route key="ended" default component={LinkEnded} />]}
      </Main>
    );
  }
  return (
    <Main>
      <Route path={to('webhooks/:id')} component={Webhook} />
      <Route path={to('webhooks/:id/deliveries/:delivery')} component={Delivery} />
      <Route default component={NotFound} />
    </Main>
  );
}
