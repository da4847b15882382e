import { generateKeyPairSync } from 'node:crypto';
import { gcsConfig } from '#providers/gcs/config.ts';
import { createGcsProvider } from '#providers/gcs/gcs-provider.ts';
import { providerConformance } from '#test/support/providers/conformance.ts';
import { startGcsServer } from '#test/support/providers/gcs/server.ts';

const kibibyte = 1024;

providerConformance('Google Cloud Storage', {
  async open() {
    const { world, endpoint, tokenUrl, close } = await startGcsServer();
    const authorization = { client_email: world.account.email, private_key: world.privateKeyPem, destination: world.bucket };
    const providers: { close(): Promise<void> }[] = [];
    const create = (fields: Partial<typeof authorization> = {}) => {
      const environment = { mayConnect: () => true, now: () => new Date() };
      const provider = createGcsProvider(gcsConfig({ ...authorization, ...fields }), environment, { endpoint, tokenUrl });
      providers.push(provider);
      return provider;
    };
    const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return {
      provider: create(),
      restarted: () => create(),
      stored: async () => [
        ...world.objects.keys(),
        ...[...world.sessions.values()].filter(({ state }) => state === 'open').map(({ id, resource }) => `${resource.name} ${id}`),
      ],
      wrong: [
        { what: 'another key', provider: create({ private_key: otherKey }), code: 'credentials_refused' },
        { what: 'no such account', provider: create({ client_email: 'nobody@example.com' }), code: 'credentials_refused' },
        { what: 'no such bucket', provider: create({ destination: 'nowhere' }), code: 'no_destination' },
      ],
      secrets: [world.privateKeyPem, world.privateKeyPem.split('\n')[3]!, otherKey.split('\n')[3]!, 'ya29.'],
      async close() {
        for (const provider of providers) await provider.close();
        await close();
      },
    };
  },
  lacks: { replacesParts: 'A session is one stream: what it has is not replaced.' },
  largeFile: 3 * 256 * kibibyte + 1234,
  partSize: 256 * kibibyte,
});
