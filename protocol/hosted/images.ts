import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Images of a Team's pages: contract/images.md §1. */

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const;

const Pixels = Type.Integer({ minimum: 1, maximum: limits.imageSide, description: 'Pixels.', examples: [640] });

export const Image = Type.Object(
  {
    id: Id,
    url: Type.String({
      description: 'Where everybody can see it. Goes into `logo_url` or `background_url`.',
      examples: ['https://longshore.example.com/images/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
    }),
    type: Literals(imageTypes, { description: 'As found by its content.' }),
    width: Pixels,
    height: Pixels,
    size: Bytes,
    created_at: DateTime,
  },
  { title: 'Image' },
);
export type Image = Static<typeof Image>;

const CreateImage = Type.Object({
  data: Type.String({
    minLength: 4,
    maxLength: Math.ceil(limits.imageBytes / 3) * 4,
    description: `A PNG, JPEG, WebP or SVG of at most ${limits.imageBytes / 1024 / 1024} MiB, in Base64.`,
    examples: ['iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='],
  }),
});

export const imageRoutes = defineRoutes({
  createImage: {
    method: 'POST',
    path: '/v1/teams/{team_id}/images',
    summary: "Uploads a logo or background for a Team's pages. Checked by its content, and made anew without what does not show.",
    tag: 'Portals',
    credentials: teamCredentials,
    params: TeamParams,
    body: CreateImage,
    reply: { status: 201, body: Image },
    errors: [...teamErrors, 'over_limit'],
    example: { data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=' },
  },
});
