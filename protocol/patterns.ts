/** Patterns of values that people write, each with its rule in `patternRules` (schema.ts). */
export const colorPattern = '^(#[0-9a-fA-F]{6})?$';
export const currencyPattern = '^([A-Z]{3})?$';
export const fileTypePattern = '^\\.[^./\\\\\\s]{1,32}$';
export const timeOfDayPattern = '^([01][0-9]|2[0-3]):[0-5][0-9]$';
export const webAddressPattern = '^https?://';
