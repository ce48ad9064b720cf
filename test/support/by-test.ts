import { systemOrigin } from '../../models/rules/audit/origin.js';

/** The origin of actions that a test performs without a request. */
export const byTest = systemOrigin('test');
