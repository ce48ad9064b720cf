/**
 * Keeps 4 instead of 10 frames of each stack trace in workflow code. The SDK takes a stack trace for every promise, which costs a quarter of
 * a message's workflow code at 10 frames. Four are enough to find an error. This file is preloaded, because workflows cannot change `Error`.
 */
Error.stackTraceLimit = 4;
