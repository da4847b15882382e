import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { everyRole } from '#service/roles/roles.ts';
import { openApiWatch } from '#service/roles/transfers.ts';
import type { ApiReport } from '#service/transfers/yielding/next-share.ts';
import { openReportsFolder } from '#service/transfers/yielding/reports-folder.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

it('a worker apart goes by what API nodes of its machine tell; a service with all roles by itself alone', async () => {
  const folder = await tempFolder();
  const told = { window: { delay: 9, calls: 10 }, rest: 1 };
  await openReportsFolder(folder.path).tell('api', told);
  const parts = { folder: { ...folder, secret: new Uint8Array(32) }, listener: { server: createServer() }, log };

  const apart = openApiWatch({ ...parts, roles: new Set(['worker']) });
  const heard = Promise.withResolvers<readonly ApiReport[]>();
  apart.start(heard.resolve);
  expect(await heard.promise).toEqual([told]);
  expect(apart.calls()).toBe(10);
  apart.stop();

  const alone = openApiWatch({ ...parts, roles: everyRole });
  alone.start(() => undefined);
  expect(alone.calls()).toBe(0);
  alone.stop();
  await folder.remove();
});
