import type { Words } from '../shape.ts';

export const transfers: Words['transfers'] = {};
