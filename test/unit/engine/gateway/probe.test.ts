import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markRoot } from '#engine/gateway/mount-process/marker-file.ts';
import { type ProbedMount, probe } from '#engine/gateway/mount-process/probe.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { systemError } from '#filesystem/system-error.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Whether a mount's folder is there, is the right one, and takes files: contract/gateways.md §2. */

let own: Awaited<ReturnType<typeof tempFolder>>;
let mount: ProbedMount;
beforeEach(async () => {
  own = await tempFolder();
  mount = { mountId: 'mine', root: join(own.path, 'nas'), readOnly: false, marked: true };
  mkdirSync(mount.root);
  await markRoot(mount, nodeFileSystem);
});
afterEach(() => own.remove());

const ok = { state: 'ok', freeBytes: expect.toBeOneOf([null, expect.any(Number)]) };
const offline = (reason: string) => ({ state: 'offline', reason: expect.stringContaining(reason) });
const look = (fileSystem: FileSystem = nodeFileSystem, of: Partial<ProbedMount> = {}) => probe({ ...mount, ...of }, fileSystem, true);
const failing = (call: 'stat' | 'access' | 'space' | 'openNow', code: string): FileSystem => ({
  ...nodeFileSystem,
  [call]: (...[path, ...rest]: [string, ...never[]]) => {
    // The marker is read as usual.
    if (call !== 'openNow' || path.endsWith('.part')) throw systemError(code, call, path);
    return (nodeFileSystem[call] as (...given: unknown[]) => unknown)(path, ...rest);
  },
});

test('a folder that is well is written to, and nothing of that stays', () => {
  expect(look()).toEqual(ok);
  expect(readdirSync(mount.root)).toEqual(['.longshore-mount']);
});

test('one that is absent, empty at its place, or no folder', () => {
  renameSync(mount.root, `${mount.root}-away`);
  expect(look()).toEqual(offline('is not there'));
  mkdirSync(mount.root);
  expect(look()).toEqual(offline('probably not mounted'));
  rmSync(mount.root, { recursive: true });
  writeFileSync(mount.root, '');
  expect(look()).toEqual(offline('is not a folder'));
});

test('one that belongs to another mount', () => {
  expect(look(nodeFileSystem, { mountId: 'theirs' })).toEqual(offline('belongs to another mount'));
});

test.each([
  ['access', 'EROFS', 'read-only'],
  ['access', 'EACCES', 'may not write'],
  ['openNow', 'EROFS', 'read-only'],
  ['openNow', 'ENOSPC', 'is full'],
  ['openNow', 'EDQUOT', 'share'],
  ['stat', 'ENOTCONN', 'not connected any more'],
  ['stat', 'ESTALE', 'exchanged at its server'],
  ['space', 'EHOSTDOWN', 'does not answer'],
  ['stat', 'EIO', 'EIO'],
] as const)('one where %s fails by %s', (call, code, reason) => {
  expect(look(failing(call, code))).toEqual(offline(reason));
});

test('one whose disk is full to its last bytes, which a mount that is only read does not mind', () => {
  const full: FileSystem = { ...nodeFileSystem, space: (path) => ({ ...nodeFileSystem.space(path), free: 1_000 }) };
  expect(look(full)).toEqual(offline('is full'));
  expect(look(full, { readOnly: true })).toEqual(ok);
});

test('a mount that is only read writes nothing; without a marker an empty folder is not mounted', () => {
  const untouched = failing('openNow', 'EROFS');
  expect(look(untouched, { readOnly: true })).toEqual(ok);
  rmSync(join(mount.root, '.longshore-mount'));
  const unmarked = { readOnly: true, marked: false };
  expect(look(untouched, unmarked)).toEqual(offline('is empty'));
  writeFileSync(join(mount.root, 'reel.mov'), '');
  expect(look(untouched, unmarked)).toEqual(ok);
});
