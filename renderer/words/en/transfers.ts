/** Words of renderer/transfers. */
export const transfers = {} as const;
