import type { CloudProvider, PathRules, ProviderEnvironment, UploadPlan } from '../ports.ts';
import type { S3Config } from './config.ts';
import { s3Copies } from './copies.ts';
import { s3Objects } from './objects.ts';
import { createIfFree } from './only-if-free.ts';
import type { S3Quirks } from './quirks.ts';
import type { RequestHandlerOptions } from './request-handler.ts';
import { createS3Session } from './session.ts';
import { s3Uploads } from './uploads.ts';

const gibibyte = 1024 ** 3;

const planOf = ({ smallestPart, usualPart }: S3Quirks): UploadPlan => ({
  smallestPart,
  usualPart,
  largestPart: 5 * gibibyte,
  partMultiple: 1,
  maxParts: 10_000,
  largestFile: 10_000 * 5 * gibibyte,
  dictatesParts: false,
  order: 'any',
  partDigests: ['md5'],
  digestsToBegin: [],
  digestsToComplete: [],
});

const paths: PathRules = {
  problem(path) {
    if (Buffer.byteLength(path) > 1024) return 'The path is longer than 1024 bytes, which is all that S3 takes.';
    // XML, in which names are listed, cannot hold them.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are meant
    if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(path)) return 'The name holds a control character.';
    return path.split('/').some((step) => step === '' || step === '.' || step === '..')
      ? 'A step of the path is empty, "." or "..".'
      : null;
  },
  ignoresCase: false,
};

/** A bucket at Amazon or at any server that speaks S3. */
export function createS3Provider(config: S3Config, environment: ProviderEnvironment, options: RequestHandlerOptions = {}): CloudProvider {
  const session = createS3Session(config, environment, options);
  const plan = planOf(config.quirks);
  const objects = s3Objects(config, session);
  const ifFree = createIfFree(config.quirks);
  return {
    name: config.kind,
    plan,
    paths,
    async check({ folder }, signal) {
      // By listing and not by HEAD, whose answers have no body that names the error.
      await objects.list({ folder, count: 1 }, signal);
      return session.learnedRegion === null ? [] : [`The bucket lies in the region ${session.learnedRegion}. Enter it in the connection.`];
    },
    ...objects,
    ...s3Uploads(config, plan, session, ifFree),
    ...s3Copies(config, session, ifFree),
    renew: () => session.renew(),
    close: () => session.close(),
  };
}
