#!/usr/bin/env node
// The program as it is linked into a search path. Plain JavaScript that every Node can parse, since an older one would
// end at the first line of TypeScript with a stack trace.
const needed = 24;

if (Number(process.versions.node.split('.')[0]) >= needed) {
  import('./longshore.ts');
} else {
  console.error(
    `longshore: Longshore needs Node ${needed} or newer, and this is ${process.versions.node}. ` +
      'Install it (https://nodejs.org), or start Longshore from its checkout by npm, which brings it: npm run -s longshore -- …',
  );
  process.exitCode = 1;
}
