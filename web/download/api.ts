import { type CallableRoutes, createClientOf, type HostedClient } from '#client/calls.ts';
import type { Fetcher } from '#client/ports.ts';

/**
 * The calls of the download page. Their addresses are written here, and held to the route table by their type: the
 * table's schemas would be half of what a visitor has to load.
 */
const routes = {
  openLink: { method: 'GET', path: '/v1/links/{link_id}', reply: { status: 200 } },
  listFiles: { method: 'GET', path: '/v1/packages/{package_id}/files', reply: { status: 200 } },
  downloadFile: { method: 'GET', path: '/v1/packages/{package_id}/files/{file_id}/download', reply: { status: 200 } },
} as const satisfies CallableRoutes<'openLink' | 'listFiles' | 'downloadFile'>;

export type DownloadClient = HostedClient<keyof typeof routes>;

/** The service that this page came from. */
export function createDownloadClient(fetcher: Fetcher, baseUrl: string): DownloadClient {
  return createClientOf<keyof typeof routes>(routes, { baseUrl, fetcher });
}
