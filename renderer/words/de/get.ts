import type { Words } from '../shape.ts';

export const get: Words['get'] = {};
