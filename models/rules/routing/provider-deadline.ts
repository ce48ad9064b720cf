/** How long one call to a provider may last. After that its outcome is unknown. */
export const providerDeadlineMs = 10_000;
