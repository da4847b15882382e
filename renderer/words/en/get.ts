/** Words of renderer/get. */
export const get = {} as const;
