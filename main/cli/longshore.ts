import { useCompileCache } from '../compile-cache.js';
import { returnToInvokingFolder } from '../invoked-from.ts';
import { useOwnModules } from '../own-modules.ts';
import { usePackedPackages } from '../packed-packages.ts';
import { endInterrupted } from './end-interrupted.ts';
import { exitCodes } from './exit-codes.ts';
import { ignoreBrokenPipes } from './ignore-broken-pipes.ts';

useCompileCache();
usePackedPackages();
useOwnModules();
returnToInvokingFolder();
ignoreBrokenPipes([process.stdout, process.stderr]);
// Loaded after the compile cache is enabled, so that the cache applies to all these modules.
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
if (process.exitCode === exitCodes.interrupted) endInterrupted();
