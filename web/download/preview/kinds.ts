import type { File } from '#protocol/hosted/files.ts';

export type PreviewKind = 'image' | 'text' | 'audio' | 'video';

/** File types that browsers can show, by extension. SVG may contain scripts, so it is shown as text. */
const endings: Readonly<Record<PreviewKind, string>> = {
  image: 'apng avif bmp gif ico jfif jpeg jpg png webp',
  audio: 'aac flac m4a mp3 oga ogg opus wav weba',
  video: 'm4v mov mp4 ogv webm',
  text:
    'ale ascii bash bat c cfg conf cpp cs css csv cube diff edl fcpxml go h htm html ini java js json jsonl jsx log lua m3u m3u8 md mhl ' +
    'mjs otio php pl properties ps1 py r rb rs rtf sh sql srt ssa svg tex text toml ts tsv tsx txt vtt xml xmp yaml yml',
};

const kindOf = new Map(
  (Object.keys(endings) as PreviewKind[]).flatMap((kind) => endings[kind].split(' ').map((ending) => [ending, kind] as const)),
);

/** How a file can be previewed; null where it cannot or should not be. */
export function previewOf({ kind, name, virus_detected }: Pick<File, 'kind' | 'name' | 'virus_detected'>): PreviewKind | null {
  if (kind !== 'file' || virus_detected) return null;
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? null : (kindOf.get(name.slice(dot + 1).toLowerCase()) ?? null);
}
