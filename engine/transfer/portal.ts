import { createHostedClient, type HostedClient, type HostedCredential } from '#client/hosted.ts';
import type { CreatePortalUpload } from '#protocol/agent/portal-uploads.ts';
import { ApiError } from '#protocol/errors.ts';
import type { JobPorts } from './job.ts';

/** The credential of a sender for a Portal: its access code, or nothing. */
export function portalCredential(code: string | undefined): HostedCredential {
  return code === undefined ? { kind: 'none' } : { kind: 'access_code', code };
}

/**
 * Finds the Portal of a request, checks that it accepts uploads and the access code, and submits its form if one was
 * filled in. Errors are the service's: `not_found`, `access_code_wrong`, `portal_closed`, `form_response_incomplete`;
 * `invalid_request` where no Portal is named.
 *
 * @param formKey the same key with the same answers submits them once within a day, however often it is called
 */
export async function openPortal(
  { transport }: Pick<JobPorts, 'transport'>,
  baseUrl: string,
  request: Pick<CreatePortalUpload, 'subdomain' | 'portal_id' | 'access_code' | 'form'>,
  { formKey, signal }: { readonly formKey?: string; readonly signal?: AbortSignal } = {},
): Promise<{ readonly id: string; readonly name: string; readonly formResponseId?: string }> {
  const client = createHostedClient({ baseUrl, fetcher: transport.fetcher, credential: portalCredential(request.access_code) });
  const abortable = signal ? { signal } : {};
  const portalId = await portalIdOf(client, request, signal);
  const portal = await client.call('getPortal', { params: { portal_id: portalId }, ...abortable });
  // Expiry is checked by the service's clock, when the package is created.
  if (!portal.active) throw new ApiError('portal_closed');
  if (!request.form) return { id: portal.id, name: portal.name };
  const response = await client.call('createFormResponse', {
    params: { portal_id: portal.id },
    body: request.form,
    // A Portal without an access code accepts any value here.
    credential: { kind: 'access_code', code: request.access_code ?? '-' },
    ...(formKey === undefined ? {} : { idempotencyKey: formKey }),
    ...abortable,
  });
  return { id: portal.id, name: portal.name, formResponseId: response.id };
}

/** The id of the Portal that a request names; `invalid_request` where it names none. */
export async function portalIdOf(
  client: HostedClient,
  { subdomain, portal_id: id }: Pick<CreatePortalUpload, 'subdomain' | 'portal_id'>,
  signal?: AbortSignal,
): Promise<string> {
  if (id !== undefined) return id;
  if (subdomain === undefined) throw new ApiError('invalid_request', { detail: 'Name the Portal, by subdomain or portal_id.' });
  return (await client.call('findPortal', { params: { subdomain }, ...(signal ? { signal } : {}) })).id;
}
