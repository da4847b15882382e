import { ProviderError } from '../errors.ts';
import { type CloudStream, createCloudHttp } from '../http/client.ts';
import type { CloudProvider, ProviderEnvironment } from '../ports.ts';
import { folderHeader, objectOf, quoted } from './blobs.ts';
import type { AzureConfig } from './config.ts';
import { hasEntries, listFolder, prefixOf } from './listing.ts';
import { azurePaths } from './paths.ts';
import { createAzureRequests } from './requests.ts';
import { checkSas, notesOn } from './sas.ts';
import { azurePlan, createAzureUploads } from './uploads.ts';

/** Azure Blob Storage with a SAS, which is all it needs: nothing is signed here, and nothing can be renewed. */
export function createAzureProvider(config: AzureConfig, environment: ProviderEnvironment): CloudProvider {
  const http = createCloudHttp(environment);
  const requests = createAzureRequests(config, http, environment);
  const { sas, https } = config;

  const ifThere = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ProviderError && error.code === 'not_found') return null;
      throw error;
    }
  };
  const headersOf = async (path: string, signal: AbortSignal) =>
    (await ifThere(requests.send({ method: 'HEAD', path, needs: 'r' }, signal)))?.headers ?? null;

  return {
    name: 'azure',
    plan: azurePlan,
    paths: azurePaths,
    ...createAzureUploads({ requests, headersOf }),

    async check({ direction }, signal) {
      checkSas(sas, { direction, https });
      await listFolder(requests, { folder: '', count: 1 }, signal);
      return notesOn(sas, { now: environment.now(), https });
    },

    list: (request, signal) => listFolder(requests, request, signal),

    async head({ id }, signal) {
      const headers = await headersOf(id, signal);
      return headers && objectOf(id, { headers });
    },

    hasFolder: async ({ path }, signal) => (await headersOf(prefixOf(path), signal)) !== null,

    async makeFolder({ path }, signal) {
      if (await hasEntries(requests, path, { withMarker: true }, signal)) return;
      const headers = { 'x-ms-blob-type': 'BlockBlob', 'if-none-match': '*', [folderHeader]: 'true' };
      try {
        await requests.send({ method: 'PUT', path: prefixOf(path), headers, body: '', needs: 'w' }, signal);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.code !== 'exists') throw error;
      }
    },

    async openRange({ id, range, ifMatch }, signal) {
      const headers = {
        ...(range && { range: `bytes=${range.start}-${range.end}` }),
        ...(ifMatch !== undefined && { 'if-match': quoted(ifMatch) }),
      };
      const answer = await requests.open({ method: 'GET', path: id, headers, needs: 'r' }, signal);
      const problem = range ? rangeProblem(answer, range.start) : null;
      if (!problem) return answer.body;
      answer.body.on('error', () => undefined).destroy();
      throw problem;
    },

    async remove({ id }, signal) {
      if (await ifThere(requests.send({ method: 'DELETE', path: id, needs: 'd' }, signal))) return;
      const marker = prefixOf(id);
      const headers = await headersOf(marker, signal);
      // An empty blob that says it is a folder, as `makeFolder` makes it.
      if (headers?.[folderHeader] !== 'true' || headers['content-length'] !== '0') return;
      await ifThere(requests.send({ method: 'DELETE', path: marker, needs: 'd' }, signal));
    },

    renew() {},
    close: () => http.close(),
  };
}

/** What is wrong with an answer to a range: a range from the end on must not look like an empty one. */
function rangeProblem({ status, headers }: Pick<CloudStream, 'status' | 'headers'>, start: number): ProviderError | null {
  const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  if (size !== undefined && start >= Number(size)) {
    return new ProviderError('range_not_satisfiable', 'The file is shorter than that.');
  }
  if (status === 206 && Number(first) === start) return null;
  return new ProviderError(
    'bad_answer',
    'The storage sends other bytes than were asked for. Check that the URL is that of a Blob service.',
  );
}
