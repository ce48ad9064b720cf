/** Names that the bare workflow, its worker and its client share. Imports nothing at run time. */
export const bareQueue = 'bench-bare';
export const bareType = 'bareMessage';
export const bareUpdate = 'accept';
export const bareSignal = 'reports';

/** Messages of the bare worker to its parent process, after the first, which says that it is ready. */
export type BareMessage = { handedOff: string } | { done: string };
