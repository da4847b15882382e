import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { PublicUrls } from '../urls.ts';
import { oneLine } from './clean.ts';

/** In whose name a message looks, and where its sender's legal pages are. Sanitised, not escaped. */
export interface Brand {
  /** The Team's name or the Portal's, or whom the operator's mail is from. */
  readonly name: string;
  /** `#rrggbb` in small letters. */
  readonly color: string;
  /** Always an image of the service's own: opening a message tells nobody else. */
  readonly logo: Logo | null;
  /** Web addresses; empty for none. */
  readonly imprint: string;
  readonly privacy: string;
}

interface Logo {
  readonly url: string;
  /** Pixels in the message. */
  readonly width: number;
  readonly height: number;
}

/** Whose message it is: a Team's, and in its name a Portal's. */
export interface MailOwner {
  readonly teamId: string;
  readonly portalId: string | null;
}

export const defaultColor = '#1d5fbf';
const nameLength = 80;
/** The box that a logo is fitted into, in pixels. */
const box = { width: 220, height: 48 } as const;

export const colorOf = (color: string): string => (/^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : defaultColor);

/** The look of messages that belong to no Team. */
export const plainBrand = (name: string): Brand => ({
  name: oneLine(name, nameLength),
  color: defaultColor,
  logo: null,
  imprint: '',
  privacy: '',
});

/** Fits a picture into the logo's box; small ones stay as they are. */
export function logoSize({ width, height }: { readonly width: number; readonly height: number }): { width: number; height: number } {
  const scale = Math.min(1, box.width / width, box.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Kinds of images that mail programs show. SVG is none of them: then the name stands there. */
const shownTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** The branding of a Team, or of its Portal where that has its own. A logo of another server is not loaded. */
export async function readBrand(db: Kysely<Database>, { teamId, portalId }: MailOwner, urls: PublicUrls): Promise<Brand> {
  const row = await db
    .selectFrom('teams')
    .leftJoin('portals', (join) => join.onRef('portals.team_id', '=', 'teams.id').on('portals.id', '=', portalId))
    .leftJoin('images', (join) =>
      join.on(
        'images.id',
        '=',
        sql<string>`case when coalesce(portals.logo_url, '') <> '' then portals.logo_image_id else teams.logo_image_id end`,
      ),
    )
    .select(['teams.name as teamName', 'portals.name as portalName', 'teams.imprint_url', 'teams.privacy_url'])
    .select(sql<string>`coalesce(nullif(portals.primary_color, ''), teams.primary_color)`.as('color'))
    .select(['images.id as imageId', 'images.type', 'images.width', 'images.height'])
    .where('teams.id', '=', teamId)
    .executeTakeFirstOrThrow();
  const { imageId, type, width, height } = row;
  const settings = { name: row.portalName ?? row.teamName, color: row.color, imprint: row.imprint_url, privacy: row.privacy_url };
  return brandOf({ ...settings, image: imageId === null || type === null ? null : { id: imageId, type, width, height } }, urls);
}

/** Settings as they are stored, or as somebody thinks of storing them. */
interface BrandSettings {
  readonly name: string;
  readonly color: string;
  readonly imprint: string;
  readonly privacy: string;
  /** The uploaded logo. */
  readonly image: { readonly id: string; readonly type: string; readonly width: number | null; readonly height: number | null } | null;
}

export function brandOf({ name, color, imprint, privacy, image }: BrandSettings, urls: Pick<PublicUrls, 'image'>): Brand {
  const { width, height } = image ?? { width: null, height: null };
  const isShown = image !== null && shownTypes.has(image.type) && width !== null && height !== null && width > 0 && height > 0;
  return {
    name: oneLine(name, nameLength),
    color: colorOf(color),
    logo: isShown ? { url: urls.image(image.id), ...logoSize({ width, height }) } : null,
    imprint: webAddress(imprint),
    privacy: webAddress(privacy),
  };
}

/** As a URL that is written in ASCII; empty for what is none. Checked when it was saved, and again before it is mailed. */
function webAddress(address: string): string {
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? url.href : '';
}
