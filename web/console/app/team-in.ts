/** The Team that a place of the console is of; empty where its path names none. */
export const teamIn = (path: string): string => /^\/t\/([^/?#]+)/.exec(path)?.[1] ?? '';
