import type { Words } from '../shape.ts';

export const send: Words['send'] = {};
