/** Fields of the content that no channel of the message has: a subject of an sms, a template of an e-mail. They are ignored. */
import type { Channel } from '../../../models/channels.js';
import type { Fault } from '../../../models/errors.js';
import { channelsOf } from '../../../models/rules/messages/fallback.js';
import { type Content, contentOn } from '../../../models/rules/messages/content.js';
import type { Checked } from '../../http/schemas/validation.js';

/** The parts of a single or bulk send that decide it. */
interface Given {
  channel: Channel;
  content: Content;
  fallback?: readonly { channel: Channel }[];
}

/** The paths of these fields, such as `content.subject`. A field that a step of the fallback sends is not one of them. */
function unusedContent(given: Given): string[] {
  const used = usedContent(given);
  return Object.keys(given.content).flatMap((name) => (name in used ? [] : [`content.${name}`]));
}

/** The content without these fields. */
export function usedContent(given: Given): Content {
  const { content } = given;
  return Object.assign({}, ...channelsOf(given).map((channel) => contentOn(channel, content))) as Content;
}

/** Adds them to the ignored fields of a body without faults. */
export function noteUnusedContent<Body extends Given>(checked: Checked<Body>): Checked<Body> {
  const { value, faults, ignored = [] } = checked;
  return faults.length > 0 ? checked : { ...checked, ignored: [...ignored, ...unusedContent(value)] };
}

/** What a preview says about them. */
export function warningsOfUnused(given: Given): Fault[] {
  const channels = [...new Set(channelsOf(given))].join(' or ');
  return unusedContent(given).map((field) => ({ field, message: `${field} is ignored: it is not sent on ${channels}` }));
}
