import { sep } from 'node:path';

/** `join` for a folder's own path, and the name of an entry: nothing has to be taken apart, ten thousand times. */
export const childPath = (folder: string, name: string): string => (folder.endsWith(sep) ? folder + name : folder + sep + name);
