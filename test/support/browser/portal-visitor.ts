import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { Link, LinkInfo } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** Opens a Portal's page as somebody whose browser has no pickers that give handles: those cannot be worked by a test. */
export async function visitPortal(
  browser: Browser,
  { url }: Pick<TestService, 'url'>,
  subdomain: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  return openPage(browser, `${url}/p/${subdomain}`, options, (page) =>
    page.addInitScript(() => {
      Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined });
    }),
  );
}

export const chooseFolder = (page: Page, folder: string): Promise<void> => page.locator('input[data-kind=folder]').setInputFiles(folder);
export const chooseFiles = (page: Page, files: string | string[]): Promise<void> =>
  page.locator('input[data-kind=files]').setInputFiles(files);

export async function fillDetails(page: Page): Promise<void> {
  await page.getByLabel('Your e-mail address').fill('mia@harbour.example');
  await page.getByLabel('Name of the package').fill('Day 12');
}

export const send = (page: Page): Promise<void> => page.getByRole('button', { name: /^Send\b/ }).click();

export const arrived = (page: Page): Promise<void> => page.getByRole('heading', { name: 'All sent' }).waitFor({ timeout: 45_000 });

export interface Received {
  readonly package: Package;
  /** By path, without the zips. */
  readonly files: ReadonlyMap<string, File>;
  /** A file's bytes. */
  read(path: string): Promise<Buffer>;
}

/** What has come in through a Portal: its only package. */
export async function received(service: TestService, portalId: string): Promise<Received> {
  const headers = { 'x-api-key': service.apiKey };
  const list = await service.call<{ records: Package[] }>('GET', `/v1.1/portals/${portalId}/packages`, { headers });
  expect(list.body.records).toHaveLength(1);
  const one = list.body.records[0]!;
  const { tokens } = service.service.services;
  const facts = { packageId: one.id, tokenId: one.id, userId: service.userId, linkId: null, variant: 'manage' } as const;
  const manage = { 'x-package-token': await tokens.sign('package', facts) };
  // As a recipient, who alone can download.
  const link = await service.call<Link>('POST', `/v1/packages/${one.id}/links`, { headers: manage, body: {} });
  const opened = await service.call<LinkInfo>(
    'GET',
    new URL(link.body.url).pathname.replace('/d/', '/v1/links/') + new URL(link.body.url).search,
  );
  const read = { 'x-package-token': opened.body.package_token };
  const files = await service.call<File[]>('GET', `/v1/packages/${one.id}/files`, { headers: read });
  const byPath = new Map(
    files.body.filter(({ kind }) => kind === 'file').map((file) => [file.path ? `${file.path}/${file.name}` : file.name, file]),
  );
  return {
    package: one,
    files: byPath,
    async read(path) {
      const address = await service.call<{ url: string }>('GET', `/v1/packages/${one.id}/files/${byPath.get(path)!.id}/download`, {
        headers: read,
      });
      return Buffer.from(await (await fetch(address.body.url)).arrayBuffer());
    },
  };
}
