import { unsetDateTime } from '#protocol/unset-date-time.ts';

/** Whether a date-time of the API has come. What never ends has the zero date-time, and an older service an empty text. */
export const hasPassed = (moment: string, now = Date.now()): boolean =>
  moment !== '' && moment !== unsetDateTime && Date.parse(moment) <= now;
