import type { Data } from '../../api/call.js';

/** What the overview shows: the sums of a period, by hour or day and channel, and its failures. */
export type OverviewData = Data<'/api/v1/overview', 'get'>;
