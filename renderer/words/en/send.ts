/** Words of renderer/send. */
export const send = {} as const;
