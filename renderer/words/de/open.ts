import type { Words } from '../shape.ts';

export const open: Words['open'] = {};
