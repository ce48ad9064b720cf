/** The console of a `describe`, and the contacts of the workspace that is logged in. */
import assert from 'node:assert/strict';
import { useApi } from '../api/use-api.js';
import type { Json } from '../support/client.js';
import { useConsole } from './use-console.js';

/** Starts both and logs in a new workspace for each test. @returns also what creates and lists its contacts by the API */
export function useContacts() {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  return {
    browser,
    me,
    create: async (contact: object): Promise<Json> => {
      const { status, body } = await me.call('POST', '/contacts', contact);
      assert.equal(status, 201, JSON.stringify(body));
      return body.data.contact;
    },
    /** Newest first. */
    contacts: async (): Promise<Json[]> => (await me.call('GET', '/contacts')).body.data.contacts,
  };
}
