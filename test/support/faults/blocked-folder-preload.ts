import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { openedFolder } from './opened-folder.ts';

/** Loaded before all else in each thread: whoever opens one folder, which the environment names, waits until the process ends. */
const blocked = process.env['LONGSHORE_TEST_HELD_FOLDER'];
if (blocked === undefined) throw new Error('LONGSHORE_TEST_HELD_FOLDER names no folder.');
const { opendir } = fs;
fs.opendir = (path, options) => (openedFolder(path) === blocked ? new Promise(() => {}) : opendir(path, options));
syncBuiltinESMExports();
