import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkImage } from '#service/images/check-image.ts';
import { cameraNotes, jpeg, jpegSegment, png, pngChunk, riffChunk, webp, webpPicture } from '#test/support/service/images.ts';

const page = Buffer.from('<script>alert(1)</script>');
const archive = Buffer.from('PK\u0003\u0004 an archive');
const refusal = (bytes: Buffer) =>
  checkImage(bytes).then(
    () => 'taken',
    (error: Error) => error.message,
  );

describe('a PNG', () => {
  it('comes out as it went in where it has nothing else', async () => {
    expect(await checkImage(png())).toEqual({ type: 'image/png', width: 2, height: 2, bytes: png() });
  });

  it('loses texts, times, profiles, frames of an animation, and what follows its end', async () => {
    const extra = ['tEXt', 'eXIf', 'iCCP', 'acTL', 'fcTL'].map((type) => pngChunk(type, page));
    expect((await checkImage(Buffer.concat([png({ extra }), archive, page]))).bytes).toEqual(png());
  });

  it('may be interlaced', async () => {
    // The seven passes of 5 × 3 pixels: each row is a filter's byte, and a byte a pixel.
    const bytes = 2 + 2 + 0 + 2 + 4 + 6 + 6;
    const made = png({ width: 5, height: 3, how: [8, 0, 0, 0, 1], pixels: Buffer.alloc(bytes) });
    expect((await checkImage(made)).width).toBe(5);
    expect(await refusal(png({ width: 5, height: 3, how: [8, 0, 0, 0, 1], pixels: Buffer.alloc(bytes + 1) }))).toContain('holds more');
  });

  it.each([
    ['holds more than its header says', png({ pixels: Buffer.alloc(50_000_000) })],
    ['holds less than its header says', png({ width: 40, height: 40, pixels: Buffer.alloc(10) })],
    ['9000 × 1 pixels', png({ width: 9_000, height: 1 })],
    ['7000 × 7000 pixels', png({ width: 7_000, height: 7_000 })],
    ['4294967295 × 4294967295 pixels', png({ width: 0xffffffff, height: 0xffffffff })],
    ['has no area', png({ width: 0 })],
    ['a checksum is wrong', Buffer.from(png()).fill(7, 20, 21)],
    ['its end is missing', png().subarray(0, -12)],
    ['its header cannot be', png({ how: [3, 0, 0, 0, 0] })],
    ['its header cannot be', png({ how: [8, 9, 0, 0, 0] })],
    ['its palette is missing', png({ how: [8, 3, 0, 0, 0] })],
    ['not known (EVIL)', png({ extra: [pngChunk('EVIL', page)] })],
  ])('is refused: %s', async (why, bytes) => {
    expect(await refusal(bytes)).toContain(why);
  });

  it('is refused where its pixels are not packed as they have to be', async () => {
    const whole = png();
    const broken = Buffer.concat([whole.subarray(0, 33), pngChunk('IDAT', Buffer.from('not packed')), whole.subarray(-12)]);
    expect(await refusal(broken)).toContain('cannot be unpacked');
  });
});

describe('a JPEG', () => {
  it('loses comments, profiles, what a camera noted, and what follows its end', async () => {
    const extra = [
      jpegSegment(0xfe, page),
      jpegSegment(0xe2, page),
      jpegSegment(0xe1, Buffer.from('http://ns.adobe.com/xap/')),
      cameraNotes(1),
    ];
    const checked = await checkImage(Buffer.concat([jpeg({ extra }), page, archive]));
    expect(checked).toEqual({ type: 'image/jpeg', width: 640, height: 480, bytes: jpeg() });
  });

  it('keeps how the camera was held, and nothing else of its notes', async () => {
    const { bytes } = await checkImage(jpeg({ extra: [cameraNotes(6)] }));
    expect(bytes.includes('GPS')).toBe(false);
    expect(bytes.includes('Exif')).toBe(true);
    // Checked again, it is the same: the orientation was understood.
    expect((await checkImage(bytes)).bytes).toEqual(bytes);
    expect(bytes.length).toBe(jpeg().length + 36);
  });

  it('may have many scans, but not any number', async () => {
    expect((await checkImage(jpeg({ scans: 12 }))).bytes).toEqual(jpeg({ scans: 12 }));
    expect(await refusal(jpeg({ scans: 100 }))).toContain('scans');
  });

  it.each([
    ['60000 × 60000 pixels', jpeg({ width: 60_000, height: 60_000 })],
    ['has no area', jpeg({ width: 0 })],
    ['two frames', jpeg({ extra: [jpegSegment(0xc0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0])] })],
    ['not show', jpeg({ extra: [jpegSegment(0xc9, [8, 0, 1, 0, 1, 1, 1, 0x11, 0])] })],
    ['its end is missing', jpeg().subarray(0, -2)],
    ['a marker is missing', Buffer.concat([Buffer.from([0xff, 0xd8]), jpegSegment(0xdb, [1]), page])],
    ['it has no picture', Buffer.from([0xff, 0xd8, 0xff, 0xd9])],
    ['cut off', Buffer.from([0xff, 0xd8, 0xff, 0xdb, 0xff, 0xff, 1])],
  ])('is refused: %s', async (why, bytes) => {
    expect(await refusal(bytes)).toContain(why);
  });
});

describe('a WebP', () => {
  const profile = riffChunk('ICCP', page);
  it('loses profiles, notes, and what follows its end', async () => {
    const extended = riffChunk('VP8X', Buffer.alloc(10));
    const made = Buffer.concat([webp(extended, profile, webpPicture(30, 20), riffChunk('EXIF', page), riffChunk('XMP ', page)), archive]);
    expect(await checkImage(made)).toEqual({ type: 'image/webp', width: 30, height: 20, bytes: webp(webpPicture(30, 20)) });
  });

  it('keeps its transparency', async () => {
    const alpha = riffChunk('ALPH', Buffer.from([1, 2, 3]));
    const { bytes } = await checkImage(webp(riffChunk('VP8X', Buffer.alloc(10)), alpha, webpPicture(30, 20)));
    expect(bytes.includes(alpha)).toBe(true);
    expect((await checkImage(bytes)).bytes).toEqual(bytes);
  });

  it('may be without loss', async () => {
    const bits = Buffer.alloc(8);
    bits[0] = 0x2f;
    bits.writeUInt32LE(29 | (19 << 14), 1);
    expect(await checkImage(webp(riffChunk('VP8L', bits)))).toMatchObject({ width: 30, height: 20 });
  });

  it.each([
    ['moves', webp(webpPicture(1, 1), riffChunk('ANIM', Buffer.alloc(6)))],
    ['no picture', webp(profile)],
    ['16383 × 16383 pixels', webp(webpPicture(0x3fff, 0x3fff))],
    ['no beginning', webp(riffChunk('VP8 ', page))],
    ['cut off', webp(webpPicture(9, 9)).subarray(0, -4)],
  ])('is refused: %s', async (why, bytes) => {
    expect(await refusal(bytes)).toContain(why);
  });
});

/** So many clips, each cut by the one before it as often, by each form of a declaration. */
const clipsWithinClips = (depth: number, often: number): string[] => {
  const declarations: ((id: string) => { readonly has: string; readonly sheet?: string })[] = [
    (id) => ({ has: `clip-path="url(#${id})"` }),
    (id) => ({ has: `style="clip-path:url('#${id}')"` }),
    (id) => ({ has: `class="x ${id}"`, sheet: `.y,.${id}{clip-path:url(#${id})}` }),
    (id) => ({ has: `class="${id}"`, sheet: `.z{font-family:"}.y{";clip-path:url(#${id})}.${id}{clip-path:url(#${id})}` }),
    (id) => ({ has: `class="${id}"`, sheet: `g .${id}{ /*}*/ clip-path:url(#${id})}` }),
    (id) => ({ has: `style="--a:url(#${id});clip-path:var(--a)"` }),
  ];
  return declarations.map((declare) => {
    const clips = Array.from({ length: depth }, (_, level) => {
      const cut = level === 0 ? null : declare(`c${level - 1}`);
      return `<style>${cut?.sheet ?? ''}</style><clipPath id="c${level}">${`<rect ${cut?.has ?? ''}/>`.repeat(often)}</clipPath>`;
    });
    return `${clips.join('')}<rect clip-path="url(#c${depth - 1})"/>`;
  });
};

describe('an SVG', () => {
  const svg = (inside: string, attributes = 'viewBox="0 0 120 40"') =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`);
  const clean = async (inside: string) => (await checkImage(svg(inside))).bytes.toString();
  const head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40">';

  it('keeps shapes, texts, styles, gradients and copies, and leaves out notes', async () => {
    const inside =
      '<!-- made by a program --><title>T</title><metadata><x:y xmlns:x="z"/></metadata><sodipodi:namedview/>' +
      "<style>.a{fill:url(#g)}</style><defs><linearGradient id='g'><stop offset=\"0\" stop-color=\"#f00\"/></linearGradient><path id='p' d='M0 0'/></defs>" +
      ' <g inkscape:label="L" data-x="1"><use xlink:href="#p"/><text x="1">A &amp; &#66;</text></g>';
    expect(await clean(inside)).toBe(
      `${head}<style>.a{fill:url(#g)}</style><defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/></linearGradient>` +
        '<path id="p" d="M0 0"/></defs><g><use href="#p"/><text x="1">A &amp; B</text></g></svg>',
    );
  });

  it('leaves out elements of other namespaces, with all that is in them', async () => {
    expect(await clean('<svg:script>alert(1)</svg:script><x:g><script/></x:g>')).toBe(`${head.slice(0, -1)}/>`);
  });

  it('may begin as XML files do, and says its size', async () => {
    const begun = Buffer.concat([
      Buffer.from('\uFEFF<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">'),
      svg('<rect width="1" height="1"/>', 'width="64px" height="32"'),
    ]);
    expect(await checkImage(begun)).toMatchObject({ type: 'image/svg+xml', width: 64, height: 32 });
    expect(await checkImage(readFileSync('resources/icon.svg'))).toMatchObject({ width: 512, height: 512 });
  });

  it('may be cut and masked as drawing programs do', async () => {
    const drawings = [
      ...clipsWithinClips(2, 3).slice(0, 3),
      '<style>.cls-1{clip-path:url(#a);}.cls-2{fill:url(#b);font-family:"Fira Sans";}</style><clipPath id="a"><rect/></clipPath><g class="cls-1"><text class="cls-2">A</text></g>',
      '<mask id="m"><rect fill="#fff"/></mask><g mask="url(#m)"><path id="p"/><clipPath id="c"><use href="#p"/></clipPath><path clip-path="url(#c)"/></g>',
      `<style>.a{stroke-dasharray:2 1}</style>${'<path class="a" d="M0 0H9"/>'.repeat(200)}`,
      '<svg width="2000" height="2000" viewBox="0 0 24 24"><path d="M0 0H9" stroke-dasharray="1 1"/></svg>',
      '<path d="M0 0H9" stroke-dasharray="0"/><circle r="20" stroke-dasharray="1.5px,.5" stroke-dashoffset="0.001"/>',
      '<style>.st0{filter:none;stroke-dasharray:4,2;}.st1{stroke-dasharray:none}</style><path class="st0" d="M0 0H9"/><path class="st1" style="filter: none"/>',
      '<mask id="m"><clipPath id="c"><rect/></clipPath><g clip-path="url(#c)"><rect/></g></mask><rect mask="url(#m)"/>',
    ];
    for (const inside of drawings) expect(await refusal(svg(inside))).toBe('taken');
  });

  it.each([
    '<script>alert(1)</script>',
    '<SCRIPT/>',
    '<rect onload="alert(1)"/>',
    '<rect ONLOAD="alert(1)"/>',
    '<a href="javascript:alert(1)"><rect/></a>',
    '<use href="https://example.com/x.svg#a"/>',
    '<use xlink:href="data:image/svg+xml;base64,AAAA#a"/>',
    '<image href="https://example.com/pixel.png"/>',
    '<foreignObject><body/></foreignObject>',
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<set attributeName="onload" to="alert(1)"/>',
    '<filter id="f"/>',
    '<pattern id="f"/>',
    '<iframe/>',
    '<rect style="fill:url(https://example.com/a)"/>',
    '<rect fill="url(//example.com/a#b)"/>',
    '<rect style="background:u\\72l(https://example.com)"/>',
    '<style>@import "https://example.com/a.css";</style>',
    "<style>rect{background:image-set('https://example.com/a.png' 1x)}</style>",
    '<style><![CDATA[@font-face{src:url(https://example.com/f)}]]></style>',
    '<rect>&evil;</rect>',
    '<rect x="&#0;"/>',
    '<rect x=1/>',
    '<rect x="1" x="2"/>',
    '<g><rect></g>',
    '</svg><svg>',
    '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>',
    `<g id="a">${'<rect/>'.repeat(900)}</g>${'<use href="#a"/>'.repeat(100)}`,
    '<rect/>'.repeat(5_001),
    '<g>'.repeat(100) + '</g>'.repeat(100),
    '<mask id="n"/><mask id="m"><rect mask="url(#n)"/></mask>',
    '<mask id="n"/><mask id="m"><rect style="mask:url(#n)"/></mask>',
    '<style>.a{-webkit-mask:url("#n")}</style><mask id="n"/><mask id="m"><rect class="b a"/></mask>',
    '<style>rect{mask:url(#n)}</style><mask id="n"/><mask id="m"><rect/></mask>',
    '<mask id="n"/><g id="g"><rect mask="url(#n)"/></g><mask id="m"><use href="#g"/></mask>',
    '<clipPath id="c"><rect clip-path="url(#c)"/></clipPath>',
    '<clipPath id="a"><rect clip-path="url(#b)"/></clipPath><clipPath id="b" style="clip-path:url(#a)"/>',
    `<mask id="m">${'<rect/>'.repeat(200)}</mask>${'<rect mask="url(#m)"/>'.repeat(200)}`,
    '<mask id="m"/><rect mask="url(#m)"/>'.repeat(1_000),
    '<path d="M0 0H9" stroke-dasharray="0.2"/>',
    '<path d="M0 0H1e9" style="stroke-dasharray:5"/>',
    '<path d="M0 0H9" pathLength="1e9" stroke-dasharray="5"/>',
    '<style>.a{stroke-dasharray/**/ : .05 , 0.05px !important}</style><path class="a"/>',
    '<path d="M0 0H9" stroke-dasharray="1%"/>',
    '<g font-size="1e9"><text stroke-dasharray="5">A</text></g>',
    '<path d="M0 0H9" stroke-dasharray="5" vector-effect="non-scaling-stroke" transform="scale(1e9)"/>',
    '<circle style="r:1e9px;stroke-dasharray:5"/>',
    '<style>.a{d:path("M0 0H1e9");stroke-dasharray:5}</style>',
    `<path d="${'M0 0H9'.repeat(1_000)}" stroke-dasharray="5"/>`,
    `<g style="stroke-dasharray:5">${'<path d="M0 0H9"/>'.repeat(700)}</g>`,
    `<style>path{stroke-dasharray:5}</style>${'<path d="M0 0H9"/>'.repeat(700)}`,
    '<g style="filter:blur(90px)"/>',
    '<style>.a{font-family:"/*";-webkit-filter/**/ : blur(90px);x:"*/"}</style>',
    '<g style="--a:blur(9px);backdrop-filter:var(--a)"/>',
    ...clipsWithinClips(6, 1),
    ...clipsWithinClips(4, 30),
  ])('is refused with %.60s', async (inside) => {
    expect(await refusal(svg(inside))).not.toBe('taken');
  });

  it.each([
    ['entities', '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>'],
    ['a page', '<!doctype html><html><script>alert(1)</script></html>'],
    ['what is no drawing', '<x/>'],
    ['nothing', '<'],
    ['more than it may', `<svg>${' '.repeat(300_000)}</svg>`],
  ])('is refused: %s', async (_, text) => {
    expect(await refusal(Buffer.from(text))).not.toBe('taken');
  });

  it('is refused in another encoding than UTF-8', async () => {
    expect(await refusal(Buffer.concat([Buffer.from('<svg>'), Buffer.from([0xff, 0xfe]), Buffer.from('</svg>')]))).toContain('UTF-8');
  });
});

it.each(['GIF89a', '%PDF-1.7', 'BM', '', 'MZ', 'logo.png'])('refuses what is no image: %s', async (text) => {
  expect(await refusal(Buffer.from(text))).toContain('neither');
});
