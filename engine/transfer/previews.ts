import { Value } from 'typebox/value';
import { createHostedClient } from '#client/hosted.ts';
import { parseDownloadLink } from '#client/link.ts';
import type { Fetcher } from '#client/ports.ts';
import { type LinkPreview, type MailLinkCode, type PreviewLink, type PreviewPortal, previewedFiles } from '#protocol/agent/previews.ts';
import { ApiError } from '#protocol/errors.ts';
import type { LinkCode } from '#protocol/hosted/links.ts';
import { PublicPortal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { serviceUrlOf } from '../session/service-url.ts';
import { fetchListing } from './download/listing.ts';
import { mailLinkCode, openLink } from './download/read-client.ts';
import { type JobPorts, packageClient } from './job.ts';
import { portalCredential, portalIdOf } from './portal.ts';

/** The content of a download link. Like opening its page, this does not count as a use; a download does. */
export async function previewLink(
  jobs: Pick<JobPorts, 'transport'>,
  { url, password, code }: PreviewLink,
  signal?: AbortSignal,
): Promise<LinkPreview> {
  const { baseUrl, linkId, secret } = parseDownloadLink(url);
  const info = await openLink(jobs, { serviceUrl: baseUrl, linkId, secret, password, code }, signal);
  const client = (fetcher: Fetcher) => packageClient({ ...jobs, transport: { ...jobs.transport, fetcher } }, baseUrl, info.package_token);
  const files = await fetchListing(jobs.transport, client, info.package_id, signal);
  return {
    service_url: baseUrl,
    name: info.name,
    sender: info.sender_email,
    // The service may be an older one, or a third party's.
    message: String(info.description ?? '').slice(0, limits.textLength),
    expiry: info.expiry,
    used_up: info.used_up ?? false,
    ...(info.proof === undefined ? {} : { proof: info.proof }),
    size: info.package_size,
    total_files: files.filter(({ kind }) => kind === 'file').length,
    files: files.slice(0, previewedFiles).map(({ id, kind, path, name, size }) => ({
      id,
      kind: kind === 'directory' ? kind : 'file',
      path,
      name,
      size: size ?? 0,
    })),
  };
}

/** Has the code mailed that a link asks for, before anything of it is known. */
export async function mailPreviewCode(
  jobs: Pick<JobPorts, 'transport'>,
  { url, password }: MailLinkCode,
  signal?: AbortSignal,
): Promise<LinkCode> {
  const { baseUrl, linkId, secret } = parseDownloadLink(url);
  return await mailLinkCode(jobs, { serviceUrl: baseUrl, linkId, secret, password }, signal);
}

/** What a Portal requires from a sender. The answer is validated, because a page is built from it. */
export async function previewPortal(
  { transport }: Pick<JobPorts, 'transport'>,
  ownServiceUrl: string,
  request: PreviewPortal,
  signal?: AbortSignal,
): Promise<PublicPortal> {
  const baseUrl = portalService(request, ownServiceUrl);
  const client = createHostedClient({ baseUrl, fetcher: transport.fetcher, credential: portalCredential(request.access_code) });
  const portal = await client.call('getPortal', {
    params: { portal_id: await portalIdOf(client, request, signal) },
    ...(signal ? { signal } : {}),
  });
  if (!Value.Check(PublicPortal, portal)) {
    const [first] = Value.Errors(PublicPortal, portal);
    throw new ApiError('service_refused', { status: 200, detail: `${first?.instancePath ?? ''} ${first?.message ?? 'is no Portal'}.` });
  }
  return portal;
}

/** The Portal's service: the named one, or the agent's own. */
export function portalService({ service_url: url }: Pick<PreviewPortal, 'service_url'>, ownServiceUrl: string): string {
  if (url === undefined) return ownServiceUrl;
  const found = serviceUrlOf(url);
  if (found !== null) return found;
  throw new ApiError('invalid_request', {
    detail: 'The field service_url is not the address of a service, as https://share.example.com.',
  });
}
