import type { Sentence } from './sentence.ts';

/** Why an uploaded picture is not taken. */
export const images: readonly Sentence[] = [
  [
    /^the image is neither PNG, JPEG, WebP nor SVG, whatever its name says$/,
    'das Bild ist weder PNG noch JPEG, WebP oder SVG, wie es auch heißt',
  ],
  [/^an image has at most (\d+) bytes$/, 'ein Bild hat höchstens $1 Bytes'],
  [
    /^the image has (\d+) × (\d+) pixels; at most (\d+) on a side are taken, and (.+) million in all$/,
    'das Bild hat $1 × $2 Pixel; höchstens $3 an einer Seite gehen, und $4 Millionen im Ganzen',
  ],
  [/^the image has no area$/, 'das Bild hat keine Fläche'],
  [/^the image is a damaged (\w+): .+$/, 'das Bild ist ein beschädigtes $1. Speichern Sie es neu'],
  [/^the image is a PNG that holds more than its header says$/, 'das Bild ist ein PNG, in dem mehr steht, als sein Anfang sagt'],
  [/^the image is a PNG with a part that is not known .+$/, 'das Bild ist ein PNG mit einem unbekannten Teil. Speichern Sie es neu'],
  [/^the image is a JPEG of a kind that browsers do not show$/, 'das Bild ist ein JPEG von einer Art, die Browser nicht zeigen'],
  [/^the image has more than (\d+) scans$/, 'das Bild ist ein JPEG mit mehr als $1 Durchgängen'],
  [/^the image moves; only still images are taken$/, 'das Bild bewegt sich; nur stehende Bilder gehen'],
  [/^the image is an SVG of more than (\d+) KiB$/, 'das Bild ist ein SVG mit mehr als $1 KiB'],
  [/^the image is an SVG that is not written in UTF-8$/, 'das Bild ist ein SVG, das nicht in UTF-8 geschrieben ist'],
  [/^the image is no SVG that can be read: .+$/, 'das Bild ist ein SVG, das sich nicht lesen lässt. Speichern Sie es neu'],
  [/^the image has an element that is not taken in an SVG: (.+)$/, 'das Bild hat ein Element, das in einem SVG nicht geht: $1'],
  [/^the image has elements within its style$/, 'das Bild hat Elemente in seinem Stil'],
  [/^the image has a script in it .+$/, 'das Bild hat ein Skript in sich'],
  [/^the image refers to something outside of itself$/, 'das Bild verweist auf etwas außerhalb von sich'],
  [/^the image has a style that refers to something outside of itself$/, 'der Stil des Bilds verweist auf etwas außerhalb'],
  [/^the image has a filter in its style$/, 'das Bild hat einen Filter in seinem Stil'],
  [/^the image has a path in its style$/, 'das Bild hat einen Pfad in seinem Stil'],
  [/^the image has quotes in its style that are not closed$/, 'das Bild hat Anführungszeichen in seinem Stil, die nicht enden'],
  [/^the image has more than (\d+) elements$/, 'das Bild hat mehr als $1 Elemente'],
  [/^the image is nested too deeply$/, 'das Bild ist zu tief verschachtelt'],
  [
    /^the image grows too large when it is drawn$/,
    'das Bild wird beim Zeichnen zu groß: Es hat zu viele Kopien, Masken, Schnitte oder Striche',
  ],
  [/^the image has copies of copies$/, 'das Bild hat Kopien von Kopien'],
  [/^the image has masks within masks$/, 'das Bild hat Masken in Masken'],
  [/^the image has clips within clips$/, 'das Bild hat zu viele Schnittmasken ineinander'],
  [/^the image has a clip that is cut by itself$/, 'das Bild hat eine Schnittmaske, die sich selbst schneidet'],
  [/^the image has dashes that are too fine for its size$/, 'das Bild hat gestrichelte Linien, die für seine Größe zu fein sind'],
];
