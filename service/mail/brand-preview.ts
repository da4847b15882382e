import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { ownImage } from '../images/own-image.ts';
import type { PublicUrls } from '../urls.ts';
import { checkWebAddress } from '../web-address.ts';
import { type Brand, brandOf } from './brand.ts';

/** Branding that somebody thinks of saving. */
interface ThoughtOf {
  readonly name: string;
  readonly primary_color: string;
  readonly logo_url: string;
  readonly imprint_url: string;
  readonly privacy_url: string;
}

/** What is saved of a Team or a Portal. */
type Saved = Pick<Selectable<Database['teams']>, 'logo_url' | 'logo_image_id'>;

/**
 * The branding of settings that are not saved, checked as saving checks it. `saved`: what they would replace. Errors:
 * `invalid_request` and `not_found` naming the field.
 */
export async function brandToBe(
  db: Kysely<Database>,
  teamId: string,
  { name, primary_color: color, logo_url: logo, imprint_url: imprint, privacy_url: privacy }: ThoughtOf,
  saved: Saved,
  urls: PublicUrls,
): Promise<Brand> {
  for (const [field, address] of Object.entries({ logo_url: logo, imprint_url: imprint, privacy_url: privacy })) {
    checkWebAddress(field, address);
  }
  const imageId = logo === saved.logo_url ? saved.logo_image_id : await ownImage(db, { teamId, urls }, 'logo_url', logo);
  const image =
    imageId === null
      ? undefined
      : await db.selectFrom('images').select(['id', 'type', 'width', 'height']).where('id', '=', imageId).executeTakeFirst();
  return brandOf({ name, color, imprint, privacy, image: image ?? null }, urls);
}
