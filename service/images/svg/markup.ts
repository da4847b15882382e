import { ImageRefused } from '../image-refused.ts';

/** An element of an SVG. Prefixes of names are kept as written; texts have their references resolved. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (Element | string)[];
}

/** What is written in an element itself, without what its elements hold. */
export const textIn = ({ children }: Element): string => children.filter((child) => typeof child === 'string').join('');

const damaged = (what: string): ImageRefused => new ImageRefused(`is no SVG that can be read: ${what}`);

const nameForm = '[A-Za-z_][A-Za-z0-9_.:-]*';
const openTag = new RegExp(`<(${nameForm})((?:\\s+${nameForm}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y');
const closeTag = new RegExp(`</(${nameForm})\\s*>`, 'y');
const attribute = new RegExp(`(${nameForm})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const skipped = [/<!--[\s\S]*?-->/y, /<\?[\s\S]*?\?>/y, /<!DOCTYPE[^>[]*>/iy] as const;
const section = /<!\[CDATA\[([\s\S]*?)\]\]>/y;

/** Deeper files are made to break those who read them. */
const maxDepth = 64;
const maxElements = 5_000;

/**
 * Reads the small part of XML that drawings are written in, and refuses everything else: entities of its own, elements
 * that are not closed, attributes without quotes. What is not understood in one way only cannot hide anything then.
 * Errors: `ImageRefused`.
 */
export function readMarkup(text: string): Element {
  const root: Element = { name: '', attributes: new Map(), children: [] };
  const open: Element[] = [root];
  let elements = 0;
  for (let at = 0; at < text.length; ) {
    const parent = open.at(-1)!;
    if (text[at] !== '<') {
      const end = text.indexOf('<', at);
      parent.children.push(resolve(text.slice(at, end < 0 ? text.length : end)));
      at = end < 0 ? text.length : end;
      continue;
    }
    const found = [...skipped, section, closeTag, openTag].find((form) => {
      form.lastIndex = at;
      return form.test(text);
    });
    if (!found) throw damaged(`it breaks off at character ${at + 1}`);
    const end = found.lastIndex;
    found.lastIndex = at;
    const [whole, name = '', attributes = '', empty] = found.exec(text)!;
    at = end;
    if (found === section) parent.children.push(name);
    else if (found === closeTag) {
      if (open.length === 1 || parent.name !== name) throw damaged(`${whole.slice(0, 40)} closes nothing`);
      open.pop();
    } else if (found === openTag) {
      elements += 1;
      if (elements > maxElements) throw new ImageRefused(`has more than ${maxElements} elements`);
      const element: Element = { name, attributes: attributesIn(attributes), children: [] };
      parent.children.push(element);
      if (empty !== '/') open.push(element);
      if (open.length > maxDepth) throw new ImageRefused('is nested too deeply');
    }
  }
  const [first, ...others] = root.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (open.length !== 1 || first === undefined || typeof first === 'string' || others.length > 0) throw damaged('it is not one drawing');
  return first;
}

function attributesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name, quoted, single] of text.matchAll(attribute)) {
    if (found.has(name!)) throw damaged(`${name} stands twice in one element`);
    found.set(name!, resolve(quoted ?? single ?? ''));
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Resolves the references that every XML has. Those that a file would define itself are refused. */
function resolve(text: string): string {
  return text.replaceAll(/&(#x?)?([^;&\s]{0,10})(;?)/g, (whole, number: string | undefined, name: string, end: string) => {
    const code = number ? Number.parseInt(name, number === '#' ? 10 : 16) : Number.NaN;
    const found = number ? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined) : entities[name];
    if (found === undefined || end !== ';') throw damaged(`${whole.slice(0, 20)} stands for nothing`);
    return found;
  });
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML cannot hold at all. */
const invalid = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const escapeText = (text: string): string => text.replaceAll(invalid, '').replaceAll(/[&<>"]/g, (one) => escapes[one]!);

export function writeMarkup({ name, attributes, children }: Element): string {
  const start = `<${name}${[...attributes].map(([key, value]) => ` ${key}="${escapeText(value)}"`).join('')}`;
  if (children.length === 0) return `${start}/>`;
  return `${start}>${children.map((child) => (typeof child === 'string' ? escapeText(child) : writeMarkup(child))).join('')}</${name}>`;
}
