import type { DownloadRecord, RemotePackage, TransferRecord, UploadRecord } from '../transfer/record.ts';
import type { ShownShare } from '../transfer/shown-shares.ts';

/**
 * The facts of a transfer as the state file has them. That form is older than the records' own, and stays: every version
 * of the agent reads it.
 */

interface SavedPackage {
  /** Empty while there is none. */
  readonly packageId: string;
  readonly packageFinalized: boolean;
  readonly cleanUpDue: boolean;
  readonly closing?: boolean;
}

const restrictedKey = 'fenced';

/** With the facts, since few transfers have one. */
const shareKey = 'shownShare';

/** The facts as they are saved, as an object for JSON. */
export function savedFacts(record: TransferRecord): object {
  const { restricted, ...facts } = record.facts;
  const mark = { ...(restricted ? { [restrictedKey]: true } : {}), ...(record.shownShare ? { [shareKey]: record.shownShare } : {}) };
  if (!('package' in facts)) return { ...facts, ...mark };
  const { package: of, ...others } = facts;
  return { ...others, ...savedPackage(of), ...mark };
}

/** The facts of saved ones. What is missing in those of an older version counts as not so. */
export function factsIn(kind: string, saved: object): UploadRecord['facts'] | DownloadRecord['facts'] {
  const { [restrictedKey]: restricted, [shareKey]: _share, ...facts } = saved as Readonly<Record<string, unknown>>;
  const mark = restricted ? { restricted: true } : {};
  if (kind !== 'upload') return { ...facts, ...mark } as DownloadRecord['facts'];
  const { packageId, packageFinalized, cleanUpDue, closing, ...others } = facts;
  const read = packageIn({
    packageId: typeof packageId === 'string' ? packageId : '',
    packageFinalized: packageFinalized === true,
    cleanUpDue: cleanUpDue === true,
    closing: closing === true,
  });
  return { ...others, package: read, ...mark } as UploadRecord['facts'];
}

/** What was saved beside the facts of how much is shown as done. What it is not is ignored: the counts say it too. */
export function shownShareIn(saved: object): Pick<TransferRecord, 'shownShare'> {
  const { done, share } = Object((saved as Readonly<Record<string, unknown>>)[shareKey]) as Partial<ShownShare>;
  const valid = Number.isFinite(done) && Number.isFinite(share) && share! >= 0 && share! < 1;
  return valid ? { shownShare: { done: done!, share: share! } } : {};
}

function savedPackage(of: RemotePackage): SavedPackage {
  return {
    packageId: of.state === 'none' ? '' : of.id,
    packageFinalized: of.state === 'finalized',
    cleanUpDue: of.state === 'to_delete',
    ...(of.state === 'closing' ? { closing: true } : {}),
  };
}

function packageIn({ packageId: id, packageFinalized, cleanUpDue, closing }: SavedPackage): RemotePackage {
  if (id === '') return { state: 'none' };
  if (packageFinalized) return { state: 'finalized', id };
  if (cleanUpDue) return { state: 'to_delete', id };
  return { state: closing ? 'closing' : 'open', id };
}
