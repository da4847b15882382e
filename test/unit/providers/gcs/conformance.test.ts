import { generateKeyPairSync } from 'node:crypto';
import { providerConformance } from '#test/support/providers/conformance.ts';
import { openGcsBench } from '#test/support/providers/gcs/bench.ts';

const kibibyte = 1024;

providerConformance('Google Cloud Storage', {
  async open() {
    const { world, create, close } = await openGcsBench();
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
      close,
    };
  },
  lacks: { replacesParts: 'A session is one stream: what it has is not replaced.' },
  largeFile: 3 * 256 * kibibyte + 1234,
  partSize: 256 * kibibyte,
});
