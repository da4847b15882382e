/** Prefix of the names of files that are being received. */
export const temporaryPrefix = '.longshore-';

/** The name of a file that is being received: beside its target, hidden, and unique to this transfer. */
export function temporaryName(transferId: string, fileId: number): string {
  return `${temporaryPrefix}${transferId.slice(-12)}-${fileId}.part`;
}
