/**
 * The address that hands a transfer over to the app (contract/handovers.md §4). Written here, since the parser of such
 * addresses is more than a page needs.
 */
export const handoverAddress = (service: string, code: string): string => `longshore://continue?${new URLSearchParams({ service, code })}`;
