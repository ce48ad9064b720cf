/** The API key in what a program displays of the TypeScript client. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { Tidings } from '../../../clients/typescript/client/index.js';

const apiKey = 'tidings_secret';
const tidings = new Tidings({ apiKey, baseUrl: 'https://api.example.com' });

describe('secrets of the TypeScript client', () => {
  it('the client, its parts and its lists do not show the API key when they are displayed or serialized', () => {
    const { messages, batches, contacts, suppressions, webhooks } = tidings;
    for (const value of [tidings, messages, batches, contacts, suppressions, webhooks, messages.list()]) {
      const shown = `${inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true })}${JSON.stringify(value)}`;
      assert.ok(!shown.includes(apiKey), shown);
    }
  });
});
