import Format, { IsDateTime } from 'typebox/format';
import { isPlainDateTime } from '#protocol/plain-date-time.ts';

/** Imported by whatever compiles schemas of many records. */
Format.Set('date-time', (value) => isPlainDateTime(value) || IsDateTime(value));
