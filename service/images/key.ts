/** The key of an image's object in the storage. */
export const imageKey = (id: string): string => `images/${id}`;
