import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Loaded before all else in each thread: whoever opens one folder, which the environment names, waits until the process ends. */
const held = process.env['LONGSHORE_TEST_HELD_FOLDER'];
if (held === undefined) throw new Error('LONGSHORE_TEST_HELD_FOLDER names no folder.');
const { opendir } = fs;
fs.opendir = (path, options) => (path === held ? new Promise(() => {}) : opendir(path, options));
syncBuiltinESMExports();
