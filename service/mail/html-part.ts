import type { Brand } from './brand.ts';
import { frameMessages } from './frame-messages.ts';
import type { Letter } from './letter.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for element content and for quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/**
 * Escapes text in the body. Mail programs make links from text that looks like an address, and names that people
 * chose can look like one (`invoice.zip`, `www.example.com`). So dots and colons within words are put into elements
 * of their own, which is invisible to readers.
 */
const textHtml = (text: string): string => escapeHtml(text).replaceAll(/(?<=\S)[.:](?=[\p{L}/])/gu, '<span>$&</span>');

/**
 * The HTML part: one column of at most 560 px that shrinks to a phone's width; light, or dark if the reader's program
 * asks for it. All mail programs support tables and inline styles; the rules in `<style>` are for those that support
 * more. Nothing but the Team's logo is loaded, from this service, under the same address for all readers.
 */
export function htmlPart(letter: Letter, brand: Brand): string {
  const text = textHtml;
  return `<!doctype html>
<html lang="${letter.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${escapeHtml(letter.subject)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  body, .page { background: #14171c !important; }
  .card { background: #1e232b !important; border-color: #343c48 !important; }
  .ink { color: #eef1f5 !important; }
  .soft { color: #a9b3c1 !important; }
  .note { background: #272d37 !important; border-color: #4a5666 !important; }
  .facts { border-color: #343c48 !important; }
  .link { color: #8db8ff !important; }
  .dim { border-color: #6a7686 !important; }
  .plate { background: #ffffff !important; padding: 8px 12px !important; border-radius: 6px !important; }
}
@media (max-width: 480px) {
  .card { padding: 20px !important; }
  .page { padding: 12px !important; }
  .button { display: block !important; text-align: center !important; }
}
</style>
</head>
<body style="margin:0;padding:0;background:#f3f5f8;">
<div style="display:none;max-height:0;overflow:hidden;">${text(letter.opening)}</div>
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" border="0"><tr>
<td class="page" align="center" style="padding:32px 16px;background:#f3f5f8;">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" border="0" style="max-width:560px;table-layout:fixed;"><tr>
<td style="height:4px;padding:0;font-size:0;line-height:4px;background:${brand.color};border-radius:12px 12px 0 0;">&nbsp;</td>
</tr><tr>
<td class="card" align="left" style="padding:28px 32px 32px;background:#ffffff;border:1px solid #dde2ea;border-top:0;border-radius:0 0 12px 12px;${font}font-size:16px;line-height:1.5;text-align:start;${wrap}">
${[headerHtml(brand), `<h1 class="ink" dir="auto" style="margin:0 0 8px;font-size:22px;line-height:1.3;font-weight:600;color:#16202e;">${text(letter.heading)}</h1>`].filter((part) => part !== '').join('\n')}
<p class="soft" style="margin:0 0 24px;color:#4b586a;">${text(letter.opening)}</p>
${[buttonHtml(letter, brand), factsHtml(letter), noteHtml(letter), formHtml(letter), addressHtml(letter)].filter((part) => part !== '').join('\n')}
<p class="soft" style="margin:24px 0 0;font-size:13px;color:#5b6879;">${text(letter.closing)}${stopHtml(letter)}</p>
</td></tr>${footerHtml(letter, brand)}</table>
</td></tr></table>
</body>
</html>
`;
}

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;";
const wrap = 'overflow-wrap:break-word;word-break:break-word;';

/** The logo; or the name, where there is none. A dark reader sees the logo on white, since most are made for it. */
function headerHtml({ name, logo }: Brand): string {
  if (logo === null) {
    if (name === '') return '';
    return `<p class="soft" dir="auto" style="margin:0 0 20px;font-size:14px;font-weight:600;color:#4b586a;">${textHtml(name)}</p>`;
  }
  const { url, width, height } = logo;
  return `<table role="presentation" cellspacing="0" cellpadding="0" border="0" style="margin:0 0 20px;"><tr><td class="plate" style="padding:0;line-height:0;"><img src="${escapeHtml(url)}" width="${width}" height="${height}" alt="${escapeHtml(name)}" style="display:block;width:${width}px;height:${height}px;border:0;${font}font-size:14px;line-height:1.3;color:#16202e;"></td></tr></table>`;
}

function buttonHtml({ link, button }: Letter, { color }: Brand): string {
  if (link === null) return '';
  const light = luminanceOf(color);
  // A button whose colour is close to the background gets a border.
  const edge = light > 0.8 ? '#c5cdd9' : color;
  return `<p style="margin:0 0 24px;"><a class="button${light < 0.06 ? ' dim' : ''}" href="${escapeHtml(link)}" style="display:inline-block;padding:12px 28px;border:1px solid ${edge};border-radius:8px;background:${color};color:${light > 0.179 ? '#000000' : '#ffffff'};font-weight:600;text-decoration:none;">${escapeHtml(button)}</a></p>`;
}

/** Who sent it, by the name and the legal pages that the Team has named. */
function footerHtml({ language }: Letter, { name, logo, imprint, privacy }: Brand): string {
  const texts = frameMessages[language];
  const legal = (
    [
      [texts.imprint, imprint],
      [texts.privacy, privacy],
    ] as const
  )
    .filter(([, address]) => address !== '')
    .map(([label, address]) => `<a class="soft" href="${escapeHtml(address)}" style="color:#5b6879;">${escapeHtml(label)}</a>`);
  const parts = [...(logo === null || name === '' ? [] : [`<span dir="auto">${textHtml(name)}</span>`]), ...legal];
  if (parts.length === 0) return '';
  return `<tr>
<td class="soft" align="center" style="padding:16px 8px 0;${font}font-size:13px;line-height:1.5;color:#5b6879;${wrap}">${parts.join(' &nbsp;·&nbsp; ')}</td></tr>`;
}

function factsHtml({ facts }: Letter): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ({ label, value }) =>
      `<p style="margin:0 0 10px;"><span class="soft" style="display:block;font-size:13px;color:#5b6879;">${textHtml(label)}</span><span class="ink" dir="auto" style="color:#16202e;">${textHtml(value)}</span></p>`,
  );
  return `<div class="facts" style="margin:0 0 16px;padding:16px 0 6px;border-top:1px solid #e6eaf0;border-bottom:1px solid #e6eaf0;">\n${rows.join('\n')}\n</div>`;
}

const quote = (lines: readonly string[]): string =>
  `<div class="note ink" dir="auto" style="margin:4px 0 12px;padding:12px 16px;background:#f3f5f8;border-left:3px solid #c5cdd9;border-radius:4px;color:#16202e;">${
    lines.map(textHtml).join('<br>') || '&nbsp;'
  }</div>`;

function noteHtml({ note }: Letter): string {
  return note === null
    ? ''
    : `<p class="soft" style="margin:20px 0 4px;font-size:13px;color:#5b6879;">${textHtml(note.title)}</p>\n${quote(note.lines)}`;
}

function formHtml({ form }: Letter): string {
  if (form === null) return '';
  const answers = form.answers.map(
    ({ label, lines }) =>
      `<p class="soft" dir="auto" style="margin:0;font-size:13px;color:#5b6879;">${textHtml(label)}</p>\n${quote(lines)}`,
  );
  return `<h2 class="ink" dir="auto" style="margin:24px 0 12px;font-size:16px;font-weight:600;color:#16202e;">${textHtml(form.title)}</h2>\n${answers.join('\n')}`;
}

function stopHtml({ stop }: Letter): string {
  return stop === undefined
    ? ''
    : `<br><a class="link" href="${escapeHtml(stop.link)}" style="color:#1d5fbf;">${escapeHtml(stop.label)}</a>`;
}

function addressHtml({ link, language }: Letter): string {
  if (link === null) return '';
  const { address } = frameMessages[language];
  return `<p class="soft" style="margin:24px 0 0;font-size:13px;color:#5b6879;">${escapeHtml(address)}<br><a class="link" href="${escapeHtml(link)}" style="color:#1d5fbf;word-break:break-all;">${escapeHtml(link)}</a></p>`;
}

/** WCAG relative luminance, 0 to 1. Up to 0.179 white text is more readable on a colour, above it black. */
function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
