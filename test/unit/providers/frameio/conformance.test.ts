import { randomUUID } from 'node:crypto';
import { providerConformance } from '#test/support/providers/conformance.ts';
import { openFrameioBench } from '#test/support/providers/frameio/bench.ts';

providerConformance('Frame.io', {
  async open() {
    const { world, create, close } = await openFrameioBench();
    return {
      provider: create(),
      restarted: () => create(),
      // Folders stay: other files may be on their way into them.
      stored: async () => world.files().map(({ id, name }) => `${name} ${id}`),
      wrong: [
        { what: 'another secret', provider: create({ client_secret: 'another-secret' }), code: 'credentials_refused' },
        { what: 'another client', provider: create({ client_id: 'another-client' }), code: 'credentials_refused' },
        { what: 'another account', provider: create({ account_id: randomUUID() }), code: 'forbidden' },
        { what: 'another workspace', provider: create({ workspace_id: randomUUID() }), code: 'misconfigured' },
        { what: 'another project', provider: create({ project_id: randomUUID() }), code: 'no_destination' },
      ],
      secrets: [world.clientSecret, 'another-secret', 'X-Amz-Signature'],
      close,
    };
  },
  lacks: {
    resumesParts: 'Frame.io does not say which parts it has.',
    replacesFiles: 'Frame.io takes a second file of one name.',
    hidesUnfinishedWhole: 'A file is whole by itself when its last part has arrived.',
    emptyFiles: 'Frame.io is not known to take files without content.',
  },
  largeFile: 3500,
});
