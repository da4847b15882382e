/** The name of a file that is being received: beside its target, hidden, and of this transfer alone. */
export function temporaryName(transferId: string, fileId: number): string {
  return `.longshore-${transferId.slice(-12)}-${fileId}.part`;
}
