/** Percent of the tallest bar. What is there at all can be seen. */
export const barHeight = (bytes: number, highest: number): number => (bytes === 0 ? 0 : Math.max(3, (bytes / highest) * 100));
