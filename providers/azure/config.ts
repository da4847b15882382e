import { isIP } from 'node:net';
import { ProviderError } from '../errors.ts';
import { readSas, refusedSas, type Sas } from './sas.ts';

export interface AzureConfig {
  /** The container's address, without a slash at its end and without the SAS. */
  readonly container: string;
  readonly https: boolean;
  readonly sas: Sas;
}

/** Azure's rule for names of containers, and its three special ones. */
const containerName = /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$|^\$(root|web|logs)$/;

/**
 * The config in a connection's `authorization`. The URL may be the Blob service's or the container's own, as Azure shows
 * either. Throws `misconfigured` where the two fields cannot be meant together.
 */
export function azureConfig(authorization: Readonly<Record<string, string>>): AzureConfig {
  const { blob_service_sas_url: given = '', destination = '' } = authorization;
  if (!containerName.test(destination)) {
    throw new ProviderError(
      'misconfigured',
      'The destination is no name of a container: 3 to 63 lower-case letters, digits and single hyphens. Enter the container, without a folder.',
    );
  }
  const [address = '', ...rest] = given.trim().replace(/#.*$/s, '').split('?');
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '') throw refusedSas('This is no SAS URL.');
  const sas = readSas(rest.join('?'));
  return { container: `${url.origin}${servicePath(url, destination, sas)}/${destination}`, https: url.protocol === 'https:', sas };
}

/** The path of the Blob service: empty, or the account's name where the host does not have it (an emulator, Azure Stack). */
function servicePath(url: URL, destination: string, { scope }: Sas): string {
  const steps = url.pathname.split('/').filter((step) => step !== '');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const inHost = hostname.includes('.blob.');
  const inPath = !inHost && (isIP(hostname) !== 0 || hostname === 'localhost' || (steps.length > 0 && steps[0] !== destination));
  const service = inPath ? steps.slice(0, 1) : [];
  const [container, ...more] = steps.slice(service.length);
  if (more.length > 0) throw refusedSas('The URL leads to a file or folder in a container.');
  if (container !== undefined && container !== destination) {
    const whose = scope === 'container' ? 'The SAS is for' : 'The URL leads to';
    throw new ProviderError(
      'misconfigured',
      `${whose} the container "${container}", but the destination is "${destination}". Enter the SAS URL and the name of one container.`,
    );
  }
  return service.map((step) => `/${step}`).join('');
}
