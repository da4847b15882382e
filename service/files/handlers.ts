import { createFile } from './create.ts';
import { finalizeFile } from './finalize.ts';
import { readHandlers } from './read.ts';
import { deleteFile } from './remove.ts';
import { uploadHandlers } from './upload.ts';

/** Files of packages: from their creation to their download. */
export const fileHandlers = { createFile, finalizeFile, deleteFile, ...uploadHandlers, ...readHandlers };
