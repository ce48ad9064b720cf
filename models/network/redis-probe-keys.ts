/**
 * Keys that are written to find out whether Redis counts requests: with the prefix of the counters, because an access list may permit no other,
 * and one in each quarter of the slots of a cluster. A node of a cluster serves a part of the slots only, and refuses some of these keys.
 */
export const redisProbeKeys = ['tidings:limit:probe:0', 'tidings:limit:probe:1', 'tidings:limit:probe:2', 'tidings:limit:probe:3'] as const;
