import type { File } from '#protocol/hosted/files.ts';

export type PreviewKind = 'image' | 'text' | 'audio' | 'video' | 'pdf';

/** File types that browsers can show, by extension. SVG may contain scripts, so it is shown as text. */
const endings: Readonly<Record<PreviewKind, string>> = {
  image: 'apng avif bmp gif ico jfif jpeg jpg png webp',
  audio: 'aac flac m4a mp3 oga ogg opus wav weba',
  video: 'm4v mov mp4 ogv webm',
  pdf: 'pdf',
  text:
    'ale ascii bash bat c cfg conf cpp cs css csv cube diff edl fcpxml go h htm html ini java js json jsonl jsx log lua m3u m3u8 md mhl ' +
    'mjs otio php pl properties ps1 py r rb rs rtf sh sql srt ssa svg tex text toml ts tsv tsx txt vtt xml xmp yaml yml',
};

/** The MIME types by which a browser says what it plays. QuickTime holds what MP4 does, and is played where the codec is known. */
const mediaTypes: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg; codecs=opus',
  wav: 'audio/wav',
  weba: 'audio/webm',
  m4v: 'video/mp4',
  mov: 'video/mp4',
  mp4: 'video/mp4',
  ogv: 'video/ogg',
  webm: 'video/webm',
};

/** Larger pictures are not shown: a browser decodes them as a whole, into several times their size. */
const maxImageBytes = 100 * 1024 * 1024;

/** A larger PDF is not shown: it is loaded as a whole (pdf.ts). */
const maxPdfBytes = 50 * 1024 * 1024;

const kindOf = new Map(
  (Object.keys(endings) as PreviewKind[]).flatMap((kind) => endings[kind].split(' ').map((ending) => [ending, kind] as const)),
);

const played = new Map<string, boolean>();

/** Whether this browser plays a type, or may. */
function browserPlays(type: string): boolean {
  let plays = played.get(type);
  if (plays === undefined) {
    plays = document.createElement(type.startsWith('audio') ? 'audio' : 'video').canPlayType(type) !== '';
    played.set(type, plays);
  }
  return plays;
}

/** Whether this browser shows PDF inside of a page. */
const browserShowsPdf = (): boolean => navigator.pdfViewerEnabled;

/** How a file can be previewed; null where it cannot or should not be. */
export function previewOf(
  { kind, name, virus_detected, damaged, size = 0 }: Pick<File, 'kind' | 'name' | 'virus_detected' | 'damaged' | 'size'>,
  plays: (type: string) => boolean = browserPlays,
  showsPdf: () => boolean = browserShowsPdf,
): PreviewKind | null {
  if (kind !== 'file' || virus_detected || damaged) return null;
  const dot = name.lastIndexOf('.');
  const ending = dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
  const preview = kindOf.get(ending) ?? null;
  if (preview === 'image') return size <= maxImageBytes ? preview : null;
  if (preview === 'pdf') return size <= maxPdfBytes && showsPdf() ? preview : null;
  return preview === null || preview === 'text' || plays(mediaTypes[ending]!) ? preview : null;
}
