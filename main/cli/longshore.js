#!/usr/bin/env node
// Where every start of the program begins. Plain JavaScript that every Node can parse, since an older one would end at the
// first line of TypeScript with a stack trace; and the cache is there before the first module with types.
const needed = 24;

if (Number(process.versions.node.split('.')[0]) >= needed) {
  import('../compile-cache.js').then(({ useCompileCache }) => {
    useCompileCache();
    return import('./longshore.ts');
  });
} else {
  console.error(
    `longshore: Longshore needs Node ${needed} or newer, and this is ${process.versions.node}. ` +
      'Install it (https://nodejs.org), or start Longshore from its checkout by npm, which brings it: npm run -s longshore -- …',
  );
  process.exitCode = 1;
}
