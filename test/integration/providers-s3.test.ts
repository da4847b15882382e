import { describe } from 'vitest';
import type { ProviderEnvironment } from '#providers/ports.ts';
import { type S3Config, s3Config } from '#providers/s3/config.ts';
import { quirks } from '#providers/s3/quirks.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { providerConformance } from '#test/support/providers/conformance.ts';
import { hasSwift, startSwift } from '#test/support/storage/swift.ts';

const environment: ProviderEnvironment = { mayConnect: () => true, now: () => new Date() };
const mebibyte = 1024 * 1024;

describe.skipIf(!hasSwift())('with OpenStack Swift', () => {
  // As a server that nothing is known of, and as one that does all that S3 does.
  for (const kind of ['generic_s3', 'minio_s3'] as const) {
    providerConformance(`${kind} at Swift`, {
      async open() {
        const server = await startSwift();
        const { host } = new URL(server.url);
        const authorization = {
          client_id: 'test:tester',
          client_secret: 'testing',
          destination: 'objects',
          endpoint: `http://${host}`,
          region: 'default',
          force_s3_path_style: 'true',
        };
        const config: S3Config = { ...s3Config(kind, authorization), quirks: quirks[kind] };
        const providers: ReturnType<typeof createS3Provider>[] = [];
        const create = (change: Partial<S3Config> = {}, changed: Partial<ProviderEnvironment> = {}) => {
          const provider = createS3Provider({ ...config, ...change }, { ...environment, ...changed });
          providers.push(provider);
          return provider;
        };
        const key = (accessKeyId: string, secretAccessKey: string) => ({ access: { by: 'key', accessKeyId, secretAccessKey } }) as const;
        return {
          provider: create(),
          restarted: create,
          stored: server.stored,
          wrong: [
            { what: 'a wrong secret', provider: create(key('test:tester', 'sesame-opens')), code: 'credentials_refused' },
            { what: 'no such bucket', provider: create({ bucket: 'absent' }), code: 'no_destination' },
            { what: 'another region', provider: create({ region: 'eu-central-1' }), code: 'wrong_region' },
            { what: 'a private address', provider: create({}, { mayConnect: () => false }), code: 'private_address' },
            { what: 'nobody there', provider: create({ endpoint: 'http://127.0.0.1:1' }), code: 'unreachable' },
          ],
          secrets: ['testing', 'sesame-opens'],
          async close() {
            for (const provider of providers) await provider.close();
            await server.close();
          },
        };
      },
      lacks: { hidesUnfinishedWhole: 'an object of one PUT is there at once' },
      largeFile: 11 * mebibyte,
      partSize: 5 * mebibyte,
    });
  }
});
