import { type CallableRoutes, createClientOf, type HostedClient } from '#client/calls.ts';
import type { Fetcher } from '#client/ports.ts';

/**
 * The API calls of the upload page. Their addresses are declared here and checked against the route table by type only:
 * the table's schemas would be half of what a visitor has to load.
 */
const routes = {
  findPortal: { method: 'GET', path: '/v1/subdomains/portals/{subdomain}', reply: { status: 200 } },
  getPortal: { method: 'GET', path: '/v1/portals/{portal_id}', reply: { status: 200 } },
  createFormResponse: { method: 'POST', path: '/v1/portals/{portal_id}/form/responses', reply: { status: 201 } },
  createPortalPackage: { method: 'POST', path: '/v1/portals/{portal_id}/packages', reply: { status: 201 } },
  packageSpec: { method: 'GET', path: '/v1/system/packages/spec', reply: { status: 200 } },
  createFile: { method: 'POST', path: '/v1/packages/{package_id}/files', reply: { status: 201 } },
  createFiles: { method: 'POST', path: '/v1/packages/{package_id}/files/batch', reply: { status: 200 } },
  createChunkBlueprints: { method: 'POST', path: '/v1/packages/{package_id}/files/{file_id}', reply: { status: 200 } },
  listUploadedChunks: { method: 'GET', path: '/v1/packages/{package_id}/files/{file_id}/chunks', reply: { status: 200 } },
  finalizeFile: { method: 'POST', path: '/v1/packages/{package_id}/files/{file_id}/finalize', reply: { status: 204 } },
  finalizeFiles: { method: 'POST', path: '/v1/packages/{package_id}/files/batch/finalize', reply: { status: 200 } },
  deleteFile: { method: 'DELETE', path: '/v1/packages/{package_id}/files/{file_id}', reply: { status: 204 } },
  listFiles: { method: 'GET', path: '/v1/packages/{package_id}/files', reply: { status: 200 } },
  finalizePackage: { method: 'POST', path: '/v1/packages/{package_id}/finalize', reply: { status: 204 } },
  getPackage: { method: 'GET', path: '/v1/packages/{package_id}', reply: { status: 200 } },
} as const satisfies CallableRoutes<
  | 'findPortal'
  | 'getPortal'
  | 'createFormResponse'
  | 'createPortalPackage'
  | 'packageSpec'
  | 'createFile'
  | 'createFiles'
  | 'createChunkBlueprints'
  | 'listUploadedChunks'
  | 'finalizeFile'
  | 'finalizeFiles'
  | 'deleteFile'
  | 'listFiles'
  | 'finalizePackage'
  | 'getPackage'
>;

export type PageClient = HostedClient<keyof typeof routes>;

/** Calls the service that delivered this page. */
export function createPageClient(fetcher: Fetcher, baseUrl: string): PageClient {
  return createClientOf<keyof typeof routes>(routes, { baseUrl, fetcher });
}
