/** The addresses of all screens. Each screen is a part of its own, which is loaded when it is first shown. */
import { Route } from 'preact-iso';
import { to } from '../api/base.js';
import { LoggedIn, NotFound } from './other-screens.js';
import { screenPart } from './screen-part.js';

const Overview = screenPart(async () => (await import('../screens/overview/overview.js')).Overview);
const Messages = screenPart(async () => (await import('../screens/messages/messages.js')).Messages, true);
const Message = screenPart(async () => (await import('../screens/messages/message.js')).Message, true);
const Send = screenPart(async () => (await import('../screens/send/send.js')).Send);
const Batches = screenPart(async () => (await import('../screens/batches/batches.js')).Batches, true);
const NewBatch = screenPart(async () => (await import('../screens/batches/new-batch.js')).NewBatch);
const Batch = screenPart(async () => (await import('../screens/batches/batch.js')).Batch, true);
const Webhooks = screenPart(async () => (await import('../screens/webhooks/webhooks.js')).Webhooks);
const NewWebhook = screenPart(async () => (await import('../screens/webhooks/new-webhook.js')).NewWebhook);
const EditWebhook = screenPart(async () => (await import('../screens/webhooks/edit-webhook.js')).EditWebhook);
const Webhook = screenPart(async () => (await import('../screens/webhooks/webhook.js')).Webhook, true);
const Delivery = screenPart(async () => (await import('../screens/webhooks/delivery.js')).Delivery);
const Contacts = screenPart(async () => (await import('../screens/contacts/contacts.js')).Contacts);
const NewContact = screenPart(async () => (await import('../screens/contacts/new-contact.js')).NewContact);
const ImportContacts = screenPart(async () => (await import('../screens/contacts/import-contacts.js')).ImportContacts);
const Contact = screenPart(async () => (await import('../screens/contacts/contact.js')).Contact);
const Suppressions = screenPart(async () => (await import('../screens/suppressions/suppressions.js')).Suppressions);
const NewSuppression = screenPart(async () => (await import('../screens/suppressions/new-suppression.js')).NewSuppression);
const Billing = screenPart(async () => (await import('../screens/billing/billing.js')).Billing);
const Audit = screenPart(async () => (await import('../screens/audit/audit.js')).Audit);
const Keys = screenPart(async () => (await import('../screens/keys/keys.js')).Keys);
const NewKey = screenPart(async () => (await import('../screens/keys/new-key.js')).NewKey);
const Settings = screenPart(async () => (await import('../screens/settings/settings.js')).Settings);

/** Entries of the navigation: the screen and its name. */
export const navigation = [
  ['', 'Overview'],
  ['messages', 'Messages'],
  ['send', 'Send'],
  ['batches', 'Batches'],
  ['webhooks', 'Webhooks'],
  ['contacts', 'Contacts'],
  ['suppressions', 'Suppressions'],
  ['keys', 'API keys'],
  ['billing', 'Billing'],
  ['audit', 'Audit'],
  ['settings', 'Settings'],
] as const;

/** Before a pattern come the addresses that it would cover. */
export const screens = [
  <Route key="home" path={to()} component={Overview} />,
  <Route key="messages" path={to('messages')} component={Messages} />,
  <Route key="message" path={to('messages/:id')} component={Message} />,
  <Route key="send" path={to('send')} component={Send} />,
  <Route key="batches" path={to('batches')} component={Batches} />,
  <Route key="new-batch" path={to('batches/new')} component={NewBatch} />,
  <Route key="batch" path={to('batches/:id')} component={Batch} />,
  <Route key="webhooks" path={to('webhooks')} component={Webhooks} />,
  <Route key="new-webhook" path={to('webhooks/new')} component={NewWebhook} />,
  <Route key="webhook" path={to('webhooks/:id')} component={Webhook} />,
  <Route key="edit-webhook" path={to('webhooks/:id/edit')} component={EditWebhook} />,
  <Route key="delivery" path={to('webhooks/:id/deliveries/:delivery')} component={Delivery} />,
  <Route key="contacts" path={to('contacts')} component={Contacts} />,
  <Route key="new-contact" path={to('contacts/new')} component={NewContact} />,
  <Route key="import-contacts" path={to('contacts/import')} component={ImportContacts} />,
  <Route key="contact" path={to('contacts/:id')} component={Contact} />,
  <Route key="suppressions" path={to('suppressions')} component={Suppressions} />,
  <Route key="new-suppression" path={to('suppressions/new')} component={NewSuppression} />,
  <Route key="billing" path={to('billing')} component={Billing} />,
  <Route key="audit" path={to('audit')} component={Audit} />,
  <Route key="keys" path={to('keys')} component={Keys} />,
  <Route key="new-key" path={to('keys/new')} component={NewKey} />,
  <Route key="settings" path={to('settings')} component={Settings} />,
  <Route key="login" path={to('login')} component={LoggedIn} />,
  <Route key="sign-in" path={to('sign-in')} component={LoggedIn} />, // its former address, which may be a bookmark
  <Route key="sign-up" path={to('sign-up')} component={LoggedIn} />,
  <Route key="forgot-password" path={to('forgot-password')} component={LoggedIn} />,
  <Route key="others" default component={NotFound} />,
];
