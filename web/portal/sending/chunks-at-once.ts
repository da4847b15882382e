/** Concurrency of chunks. A browser allows six connections to a server; one is left for other requests. */
export const chunksAtOnce = 5;
