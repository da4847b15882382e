import { ProviderError } from '../errors.ts';

/** What validation tells: PostLab's media can be reached with Hedge's own programs alone. */
export function refusePostlab(): never {
  throw new ProviderError(
    'not_offered',
    'PostLab has no public interface, so Longshore cannot bring files there. Connect other storage, and add the files to PostLab from there with its own app.',
  );
}
