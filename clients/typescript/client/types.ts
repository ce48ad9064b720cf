/** The types of requests and answers, taken from those of the OpenAPI document (api.ts, generated). */
import type { paths, webhooks } from './api.js';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type At<P extends keyof paths, M extends keyof paths[P]> = paths[P][M];
type Answer<T> = T extends { responses: infer Responses } ? Json<Responses[keyof Responses & (200 | 201)]> : never;
/** `data` of a successful answer. */
type Data<P extends keyof paths, M extends keyof paths[P]> = Answer<At<P, M>> extends { data: infer Content } ? Content : never;
type BodyOf<P extends keyof paths, M extends keyof paths[P]> =
  At<P, M> extends { requestBody?: infer Given } ? Json<Exclude<Given, undefined>> : never;
type QueryOf<P extends keyof paths> =
  At<P, 'get' & keyof paths[P]> extends { parameters: { query?: infer Query } } ? Exclude<Query, undefined> : object;
/** Filters of a list. The client walks by cursor, so that a position is not part of them. */
type FiltersOf<P extends keyof paths> = Omit<QueryOf<P>, 'page' | 'cursor'>;

type SendBody = BodyOf<'/api/v1/messages/send', 'post'>;
/**
 * For a `channel` that is known only at run time: each shape of the document has fixed channels, so the compiler would accept none.
 */
type ToAnyChannel = Omit<Extract<SendBody, { to: string; channel: 'email' }>, 'channel'> & { channel: Message['channel'] };

export type NewMessage = SendBody | ToAnyChannel;
export type Message = Data<'/api/v1/messages/{id}', 'get'>['message'];
export type SentMessage = Data<'/api/v1/messages/send', 'post'>['message'];
export type MessageFilters = FiltersOf<'/api/v1/messages'>;
export type ListedMessage = Data<'/api/v1/messages', 'get'>['messages'][number];
export type Timeline = Data<'/api/v1/messages/{id}/timeline', 'get'>['timeline'];
export type PreviewRequest = BodyOf<'/api/v1/messages/preview', 'post'> | ToAnyChannel;
export type Preview = Data<'/api/v1/messages/preview', 'post'>;

export type NewBatch = BodyOf<'/api/v1/messages/bulk', 'post'>;
export type Batch = Data<'/api/v1/messages/bulk/{id}', 'get'>['batch'];
export type SentBatch = Data<'/api/v1/messages/bulk', 'post'>['batch'];
export type BatchFilters = FiltersOf<'/api/v1/messages/bulk'>;

export type NewContact = BodyOf<'/api/v1/contacts', 'post'>;
export type ContactChanges = BodyOf<'/api/v1/contacts/{id}', 'put'>;
export type Contact = Data<'/api/v1/contacts/{id}', 'get'>['contact'];
export type ContactFilters = FiltersOf<'/api/v1/contacts'>;

export type NewSuppression = BodyOf<'/api/v1/suppressions', 'post'>;
export type Suppression = Data<'/api/v1/suppressions/{id}', 'get'>['suppression'];
export type SuppressionFilters = FiltersOf<'/api/v1/suppressions'>;

export type NewWebhook = BodyOf<'/api/v1/webhooks', 'post'>;
export type WebhookChanges = BodyOf<'/api/v1/webhooks/{id}', 'put'>;
export type Webhook = Data<'/api/v1/webhooks/{id}', 'get'>['webhook'];
export type CreatedWebhook = Data<'/api/v1/webhooks', 'post'>;
export type RotatedWebhook = Data<'/api/v1/webhooks/{id}/rotate-secret', 'post'>;
export type WebhookPublicKey = Data<'/api/v1/webhooks/{id}/public-key', 'get'>;
export type WebhookPortal = Data<'/api/v1/webhooks/{id}/portal', 'post'>['portal'];
export type WebhookFilters = FiltersOf<'/api/v1/webhooks'>;
export type EventDescription = Data<'/api/v1/webhooks/events', 'get'>['events'][number];
export type Delivery = Data<'/api/v1/webhooks/{id}/deliveries/{delivery_id}', 'get'>['delivery'];
export type NewReplay = BodyOf<'/api/v1/webhooks/{id}/replay', 'post'>;
export type StartedReplay = Data<'/api/v1/webhooks/{id}/replay', 'post'>['replay'];
export type DeliveryFilters = FiltersOf<'/api/v1/webhooks/{id}/deliveries'>;

export type Balance = Data<'/api/v1/balance', 'get'>;
export type Usage = Data<'/api/v1/usage', 'get'>;
export type UsageQuery = QueryOf<'/api/v1/usage'>;

/** An event of a message, as webhooks and the stream carry it. */
export type MessageEvent = {
  [T in MessageEventType]: webhooks[T] extends { post: { requestBody: infer Given } } ? Json<Given> : never;
}[MessageEventType];
type MessageEventType = Extract<keyof webhooks, `message.${string}`>;
