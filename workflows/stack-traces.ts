/**
 * How much of a stack is kept in workflow code, where the SDK takes one for every promise: at the usual 10 frames a quarter of what the
 * code of a message's workflow costs. Enough are left to find an error. Loaded before any workflow (`preloadModules`), while `Error`
 * can still be changed.
 */
Error.stackTraceLimit = 4;
