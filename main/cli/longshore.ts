#!/usr/bin/env node
import { useCompileCache } from '../compile-cache.ts';
import { outliveReaders } from './outlive-readers.ts';

useCompileCache();
outliveReaders([process.stdout, process.stderr]);
// Loaded after the cache is on, so that it serves everything below.
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
