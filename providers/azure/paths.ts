import type { PathRules } from '../ports.ts';

const longest = 1024;
const mostSteps = 254;

/** Characters that Azure refuses, or that an answer in XML cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const refused = /[\u0000-\u001f\u007f-\u009f\ue000\ufffe\uffff]/;

/** Azure's rules for names of blobs. */
export const azurePaths: PathRules = {
  problem(path) {
    const steps = path.split('/');
    if (path.length > longest) return `Azure holds paths of at most ${longest} characters.`;
    if (steps.length > mostSteps) return `Azure holds paths of at most ${mostSteps} folders.`;
    if (steps.some((step) => step === '')) return 'A path has an empty step.';
    if (steps.some((step) => step.endsWith('.'))) return 'In Azure no file or folder may have a name that ends with a dot.';
    // The service takes it for a slash.
    if (path.includes('\\')) return 'In Azure a name cannot hold a backslash.';
    if (refused.test(path) || !path.isWellFormed()) return 'A name holds a control character or another one that Azure refuses.';
    return null;
  },
  ignoresCase: false,
};
