/** Words of renderer/open. */
export const open = {} as const;
