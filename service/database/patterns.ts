/** A LIKE pattern for texts that hold this one, taken literally. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
