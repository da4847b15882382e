import { openB2Bench } from '#test/support/providers/b2/bench.ts';
import { providerConformance } from '#test/support/providers/conformance.ts';

const mebibyte = 1024 * 1024;

providerConformance('Backblaze B2, natively', {
  async open() {
    const { world, create, close } = await openB2Bench();
    const limited = { ...world.key, id: `005${world.accountId}0000000002`, buckets: ['another'] };
    world.keys.set(limited.id, limited);
    return {
      provider: create(),
      restarted: () => create(),
      stored: async () => [
        ...[...world.files.values()].flat().map(({ fileName, fileId }) => `${fileName} ${fileId}`),
        ...[...world.largeFiles.values()].map(({ fileName, fileId }) => `${fileName} ${fileId} unfinished`),
      ],
      wrong: [
        { what: 'another secret', provider: create({ ...world.masterKey, secret: 'sesame-opens' }), code: 'credentials_refused' },
        { what: 'no such key', provider: create({ ...world.masterKey, id: '0123456789ab' }), code: 'credentials_refused' },
        { what: 'no such bucket', provider: create(world.masterKey, 'nowhere'), code: 'no_destination' },
        { what: 'a key of another bucket', provider: create(limited), code: 'forbidden' },
        { what: 'a private address', provider: create(world.masterKey, undefined, { mayConnect: () => false }), code: 'private_address' },
      ],
      secrets: [world.masterKey.secret, world.key.secret, 'sesame-opens', '_acct', '_upld'],
      close,
    };
  },
  lacks: {
    hidesUnfinishedWhole: 'a file of one request is there at once',
    keepsTaken: 'a new file is a version, under which the old one is kept',
  },
  largeFile: 11 * mebibyte,
  partSize: 5 * mebibyte,
});
