import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { describeFileSystem } from '#test/support/filesystem/conformance.ts';

describeFileSystem('the real disks', () => nodeFileSystem);
describeFileSystem('the breaking one without faults', () => new BreakingFileSystem());
describeFileSystem('the breaking one over a breaking one', () => new BreakingFileSystem({ over: new BreakingFileSystem() }));
describeFileSystem('the one that folds case', () => new BreakingFileSystem({ foldsCase: true }));
