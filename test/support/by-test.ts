import { systemOrigin } from '../../models/rules/audit/origin.js';

/** Who does what a test does without a request. */
export const byTest = systemOrigin('test');
