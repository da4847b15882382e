import { randomUUID } from 'node:crypto';
import { providerConformance } from '#test/support/providers/conformance.ts';
import { openIconikBench } from '#test/support/providers/iconik/bench.ts';
import { everythingKept } from '#test/support/providers/iconik/world.ts';

const kibibyte = 1024;

for (const method of ['S3', 'GCS'] as const) {
  providerConformance(`iconik with a storage at ${method}`, {
    async open() {
      const { world, create, close } = await openIconikBench(method);
      return {
        provider: create(),
        restarted: () => create(),
        // Collections stay: other files may be on their way into them.
        stored: async () => everythingKept(world),
        wrong: [
          { what: 'another token', provider: create({ application_token: 'another-token' }), code: 'credentials_refused' },
          { what: 'another application', provider: create({ application_id: randomUUID() }), code: 'credentials_refused' },
        ],
        secrets: [world.account.token, 'another-token'],
        close,
      };
    },
    lacks: {
      replacesFiles: 'Two assets may have one title: nothing is replaced.',
      ...(method === 'GCS' && { replacesParts: 'A session is one stream: what it has is not replaced.' }),
    },
    largeFile: 3 * 256 * kibibyte + 1234,
    partSize: 256 * kibibyte,
  });
}
