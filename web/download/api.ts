import { type CallableRoutes, createClientOf, type HostedClient } from '#client/calls.ts';
import type { Fetcher } from '#client/ports.ts';

/**
 * The API calls of the download page. Their addresses are declared here and checked against the route table by type
 * only: the table's schemas would be half of what a visitor has to load.
 */
const routes = {
  openLink: { method: 'GET', path: '/v1/links/{link_id}', reply: { status: 200 } },
  createLinkCode: { method: 'POST', path: '/v1/links/{link_id}/codes', reply: { status: 202 } },
  listFiles: { method: 'GET', path: '/v1/packages/{package_id}/files', reply: { status: 200 } },
  createZip: { method: 'POST', path: '/v1/packages/{package_id}/zips', reply: { status: 200 } },
  downloadFile: { method: 'GET', path: '/v1/packages/{package_id}/files/{file_id}/download', reply: { status: 200 } },
} as const satisfies CallableRoutes<'openLink' | 'createLinkCode' | 'listFiles' | 'createZip' | 'downloadFile'>;

export type DownloadClient = HostedClient<keyof typeof routes>;

/** Calls the service that delivered this page. */
export function createDownloadClient(fetcher: Fetcher, baseUrl: string): DownloadClient {
  return createClientOf<keyof typeof routes>(routes, { baseUrl, fetcher });
}
