/** Milliseconds for a stop in order of an engine. What is left of the contract's 10 s is for the end of the process. */
export const stopMs = 9_000;
