const area = { request: 1, credential: 2, resource: 3, session: 4, storage: 5, limit: 6, internal: 7, transfer: 8 } as const;

/** The code of an error: `(area << 16) | number` (contract/conventions.md §5.1). Codes are never changed or used again. */
export const at = (where: keyof typeof area, number: number): number => (area[where] << 16) | number;

export interface ErrorSpec {
  readonly code: number;
  readonly status: number;
  /** The message for the caller. Its `{name}` placeholders are filled from the error's details. */
  readonly message: string;
}
