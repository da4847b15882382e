import { ServiceError, TransferError } from '#client/errors.ts';
import type { ErrorName } from '#protocol/errors.ts';

const endings: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'credential_missing',
  'credential_invalid',
  'package_expired',
  'team_inactive',
  'not_allowed',
]);

/** After this failure no file of the package can be sent. */
export const endsPackage = (fault: unknown): boolean => fault instanceof ServiceError && endings.has(fault.error);

/** The browser cannot read the file until it is chosen again. */
export function isOfTheFile(fault: unknown): boolean {
  return fault instanceof TransferError && ['file_changed', 'source_gone', 'source_unreadable'].includes(fault.code);
}

/** The server is unreachable. */
export function isUnreachable(fault: unknown): boolean {
  if (fault instanceof ServiceError) return fault.error === 'service_unreachable';
  return fault instanceof TransferError && ['unreachable', 'cut', 'stalled'].includes(fault.code);
}
