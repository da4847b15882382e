import { type CallableRoutes, createClientOf, type HostedClient } from '#client/calls.ts';
import type { Fetcher } from '#client/ports.ts';

/** The calls by which a page hands a transfer over. As `page-client.ts`, but loaded only where they are used. */
const routes = {
  createHandover: { method: 'POST', path: '/v1/packages/{package_id}/handovers', reply: { status: 201 } },
  putHandoverPart: { method: 'PUT', path: '/v1/packages/{package_id}/handovers/{handover_id}/parts/{part}', reply: { status: 204 } },
  getHandover: { method: 'GET', path: '/v1/packages/{package_id}/handovers/{handover_id}', reply: { status: 200 } },
  cancelHandover: { method: 'DELETE', path: '/v1/packages/{package_id}/handovers/{handover_id}', reply: { status: 204 } },
} as const satisfies CallableRoutes<'createHandover' | 'putHandoverPart' | 'getHandover' | 'cancelHandover'>;

export type HandoverClient = HostedClient<keyof typeof routes>;

/** With the package's token. */
export function handoverClient(baseUrl: string, fetcher: Fetcher, token: string): HandoverClient {
  return createClientOf<keyof typeof routes>(routes, { baseUrl, fetcher, credential: { kind: 'package', token } });
}
