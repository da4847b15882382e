import { ApiError } from '#protocol/errors.ts';

/** Checks an address that pages use as a link or picture: http or https, or empty. Error: `invalid_request` naming the field. */
export function checkWebAddress(field: string, address: string): void {
  if (address === '') return;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return;
  throw new ApiError('invalid_request', {
    detail: `${field}: it must be an http or https address, such as https://example.com/, or empty.`,
  });
}
