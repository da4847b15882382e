import { createZip } from '../zips/create.ts';
import { createBatchBlueprints } from './batch-blueprints.ts';
import { createFile } from './create.ts';
import { createFiles } from './create-many.ts';
import { downloadFiles } from './download-many.ts';
import { finalizeFile } from './finalize.ts';
import { finalizeFiles } from './finalize-many.ts';
import { readHandlers } from './read.ts';
import { recordFiles } from './record-many.ts';
import { deleteFile } from './remove.ts';
import { uploadHandlers } from './upload.ts';

/** Files of packages: from their creation to their download. */
export const fileHandlers = {
  createFile,
  createFiles,
  createBatchBlueprints,
  recordFiles,
  downloadFiles,
  createZip,
  finalizeFile,
  finalizeFiles,
  deleteFile,
  ...uploadHandlers,
  ...readHandlers,
};
