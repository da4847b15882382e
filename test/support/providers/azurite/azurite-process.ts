import { createRequire } from 'node:module';
import { stdin } from 'node:process';

/**
 * Azurite's blob service as a process that ends with whoever started it: when its standard input closes. It keeps
 * everything in memory.
 */
stdin.on('close', () => process.exit()).resume();
process.argv.push('--blobHost', '127.0.0.1', '--blobPort', '0', '--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry');
createRequire(import.meta.url)('azurite/dist/src/blob/main.js');
