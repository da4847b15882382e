import type { Image } from '#protocol/hosted/images.ts';

/** Tables of migration 0026. */
export interface ImageTables {
  images: {
    id: string;
    team_id: string;
    created_by: string | null;
    /** SHA-256 of the stored bytes. */
    digest: Buffer;
    type: Image['type'];
    /** Pixels. */
    width: number;
    height: number;
    /** Bytes. */
    size: number;
    created_at: Date;
    /** When it was last uploaded. */
    used_at: Date;
  };
}
