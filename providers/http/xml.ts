import { parseXML } from '@aws-sdk/xml-builder';
import { ProviderError } from '../errors.ts';

/** An element: its text, or its children and attributes by name. Several children of one name are a list. */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

/** The root element `root` of an answer. `bad_answer` if the bytes are no XML, or another document. */
export function readXml(bytes: Buffer, root: string): XmlNode {
  // A byte order mark is no part of the document.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  let document: Readonly<Record<string, XmlNode>>;
  try {
    document = parseXML(text) as Readonly<Record<string, XmlNode>>;
  } catch (cause) {
    throw notUnderstood({ cause });
  }
  const node = document[root];
  if (node === undefined || !isTree(node)) throw notUnderstood();
  return node;
}

/** Not so where an element has a name that objects have by themselves, such as `__proto__`. */
const isTree = (node: unknown): node is XmlNode =>
  typeof node === 'string' || (typeof node === 'object' && node !== null && Object.values(node).every(isTree));

const notUnderstood = (options: ErrorOptions = {}): ProviderError =>
  new ProviderError(
    'bad_answer',
    'The storage sent an answer that makes no sense. Check that the address is that of the storage, not of a proxy or a web page.',
    options,
  );

/** The children of a name, in their order. */
export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  if (node === undefined || typeof node === 'string') return [];
  const found = node[name];
  if (found === undefined) return [];
  return Array.isArray(found) ? (found as readonly XmlNode[]) : [found as XmlNode];
}

export const childOf = (node: XmlNode | undefined, name: string): XmlNode | undefined => childrenOf(node, name)[0];

/** An element's text; empty where there is none. */
export function textOf(node: XmlNode | undefined): string {
  if (node === undefined) return '';
  return typeof node === 'string' ? node : textOf(childOf(node, '#text'));
}
