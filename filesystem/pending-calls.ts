/** Calls of Node that a thread works on: of `fs`, and of open files. */
const ofFiles = /^(?:FSReq|FileHandleCloseReq)/;

/** Whether this process waits for an answer of a disk. A call that nobody waits for any more counts as well. */
export const hasPendingCalls = (): boolean => process.getActiveResourcesInfo().some((name) => ofFiles.test(name));
