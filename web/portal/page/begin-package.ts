import type { FormValues } from '#protocol/hosted/forms.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import type { PageClient } from '../../common/page-client.ts';
import type { Entry } from '../../sending/files/entry.ts';
import type { Item } from '../../sending/item.ts';
import type { Store, StoredPackage } from '../../sending/store.ts';
import { storePackage } from '../../sending/store-package.ts';

interface PackageDetails {
  readonly portal: PublicPortal;
  /** Empty where the Portal has none. */
  readonly accessCode: string;
  readonly name: string;
  readonly description: string;
  readonly sender: string;
  /** Answers to the Portal's form; null where it has no form. */
  readonly answers: FormValues | null;
  readonly entries: readonly Entry[];
}

interface BeginPackagePorts {
  readonly api: PageClient;
  readonly store: Store;
  /** Idempotency key: another key creates another package. */
  readonly key: string;
  /** Identifies the same sender to the service. */
  readonly senderSecret: string;
  readonly now: () => number;
}

/** The form endpoint requires an access code even for a Portal without one, and then accepts any. */
const anyCode = 'none';

/**
 * Submits the form, creates the package and stores everything in the browser before the first byte is sent. Idempotent:
 * with the same key the service returns the same package. Failures are `ServiceError`s.
 */
export async function beginPackage(
  { api, store, key, senderSecret, now }: BeginPackagePorts,
  { portal, accessCode, name, description, sender, answers, entries }: PackageDetails,
): Promise<{ readonly stored: StoredPackage; readonly items: Item[] }> {
  const params = { portal_id: portal.id };
  const response =
    answers === null
      ? null
      : await api.as({ kind: 'access_code', code: accessCode || anyCode }).call('createFormResponse', {
          params,
          body: answers,
          idempotencyKey: `form-${key}`,
          senderSecret,
        });
  const made = await api.as(accessCode === '' ? { kind: 'none' } : { kind: 'access_code', code: accessCode }).call('createPortalPackage', {
    params,
    body: { name, description, sender, ...(response === null ? {} : { form_data_id: response.id }) },
    idempotencyKey: `package-${key}`,
    senderSecret,
  });
  return await storePackage(
    store,
    { id: made.id, portalId: portal.id, token: made.access_token, name: made.name, sender: made.sender, begunAt: now() },
    entries,
  );
}
