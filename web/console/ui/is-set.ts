import { unsetDateTime } from '#protocol/unset-date-time.ts';

/** Whether a date-time of the API is one: what never expires has the zero date-time, and an older service an empty text. */
export const isSet = (moment: string): boolean => moment !== '' && moment !== unsetDateTime;
