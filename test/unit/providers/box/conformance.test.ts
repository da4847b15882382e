import { generateKeyPairSync } from 'node:crypto';
import { openBoxBench } from '#test/support/providers/box/bench.ts';
import { providerConformance } from '#test/support/providers/conformance.ts';

providerConformance('Box', {
  async open() {
    const { world, create, close } = await openBoxBench();
    const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return {
      provider: create(),
      restarted: () => create(),
      // Folders stay: other files may be on their way into them.
      stored: async () => [
        ...[...world.items.values()].filter(({ type }) => type === 'file').map(({ id, name }) => `${name} ${id}`),
        ...[...world.sessions.values()].map(({ id, name }) => `${name} ${id}`),
      ],
      wrong: [
        { what: 'another key', provider: create({ private_key: otherKey }), code: 'credentials_refused' },
        { what: 'another secret', provider: create({ client_secret: 'another-secret' }), code: 'credentials_refused' },
        { what: 'another key id', provider: create({ public_key_id: 'other' }), code: 'credentials_refused' },
        { what: 'another enterprise', provider: create({ enterprise_id: '1' }), code: 'credentials_refused' },
      ],
      secrets: [world.privateKeyPem.split('\n')[3]!, otherKey.split('\n')[3]!, world.clientSecret, 'another-secret', world.passphrase],
      close,
    };
  },
  lacks: {
    replacesParts: 'Box keeps the part that it has.',
    hidesUnfinishedWhole: 'A file below 20 MB is one request, which makes it.',
  },
  largeFile: 3500,
});
