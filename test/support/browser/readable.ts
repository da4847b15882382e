import type { Page } from 'playwright-core';

/**
 * Texts that axe's rule `color-contrast` could complain of, each with the reason. A text is certain where it stands on one
 * colour, nothing else is painted between them, and both differ enough. All that is not as simple is doubtful, and axe's
 * to judge; what axe leaves out, or calls incomplete, may be either.
 */
export const doubtfulTexts = (page: Page): Promise<string[]> => page.evaluate(findDoubtfulTexts);

/** Links that axe's rule `link-in-text-block` could complain of: in a text, and neither underlined nor a block of their own. */
export const doubtfulLinks = (page: Page): Promise<string[]> => page.evaluate(findDoubtfulLinks);

/** Runs in the page. */
export function findDoubtfulLinks(): string[] {
  const blocks = ['block', 'list-item', 'table', 'flex', 'grid', 'inline-block'];
  const isBlock = (element: Element): boolean => blocks.includes(getComputedStyle(element).display);
  const doubts: string[] = [];
  for (const link of document.querySelectorAll('a[href], [role=link]')) {
    if (isBlock(link) || getComputedStyle(link).textDecorationLine.includes('underline')) continue;
    let block = link.parentElement;
    while (block && !isBlock(block)) block = block.parentElement;
    const texts = document.createTreeWalker(block ?? document, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode as Text;
      if (data.trim() === '' || parentElement?.closest('a[href], [role=link]')) continue;
      doubts.push(`not underlined beside “${data}”: ${link.textContent}`);
      break;
    }
  }
  return doubts;
}

/** Runs in the page. */
export function findDoubtfulTexts(): string[] {
  type Colour = readonly [red: number, green: number, blue: number, alpha: number];
  interface Box {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  }
  /** What lies where its own style puts it, over or under others: what flows inside it lies over nothing else in there. */
  interface Layer {
    readonly element: Element;
    readonly below: Layer | null;
    /** It is painted after the letters that flow in the layer below. */
    readonly isLifted: boolean;
    readonly zIndex: number;
  }
  interface Ground {
    /** Of the nearest opaque colour, with what is translucent above it; null where that is not one colour. */
    readonly colour: Colour | null;
    readonly colourLayer: Layer;
    readonly layer: Layer;
    /** Where the opaque colour is. */
    readonly colourBox: Box;
    /** Where nothing else of its layer lies. */
    readonly inside: Box;
    /** It has left that already. */
    readonly isAstray: boolean;
    /** Beyond which nothing is seen. */
    readonly seen: Box;
    /** The same two for what is placed absolutely: nothing between it and its containing block cuts it off. */
    readonly placed: { readonly inside: Box; readonly seen: Box };
    readonly doubt: string | null;
  }
  interface Text {
    readonly element: Element;
    readonly box: Box;
    readonly ground: Ground;
    readonly isAstray: boolean;
  }

  const everywhere: Box = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
  const common = (a: Box, b: Box): Box => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const isEmpty = ({ left, top, right, bottom }: Box): boolean => right - left < 1 || bottom - top < 1;
  // A line's glyphs may be higher than the line.
  const isInside = (a: Box, b: Box): boolean =>
    a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 5 && a.bottom <= b.bottom + 5;

  const transparent: Colour = [0, 0, 0, 0];
  const parsed = new Map<string, Colour | null>();
  const colourOf = (text: string): Colour | null => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const numbers = (text.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
    const [red = 0, green = 0, blue = 0, alpha = 1] = numbers;
    const colour: Colour | null = /^rgba?\(/.test(text)
      ? [red, green, blue, alpha]
      : text.startsWith('color(srgb ')
        ? [red * 255, green * 255, blue * 255, alpha]
        : null;
    parsed.set(text, colour);
    return colour;
  };
  const over = ([red, green, blue, alpha]: Colour, below: Colour): Colour => [
    red * alpha + below[0] * (1 - alpha),
    green * alpha + below[1] * (1 - alpha),
    blue * alpha + below[2] * (1 - alpha),
    1,
  ];
  const linear = (value: number): number => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]: Colour): number => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const contrast = (a: Colour, b: Colour): number => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
    return (light + 0.05) / (dark + 0.05);
  };

  const texts: Text[] = [];
  const painted: { readonly element: Element; readonly box: Box; readonly layer: Layer }[] = [];
  const doubts: string[] = [];
  const doubt = (why: string, element: Element): void => void doubts.push(`${why}: ${(element.textContent ?? '').trim().slice(0, 40)}`);

  const zIndexOf = (element: Element, { zIndex }: CSSStyleDeclaration): number =>
    element.matches(':modal, :popover-open') ? Number.POSITIVE_INFINITY : zIndex === 'auto' ? 0 : Number(zIndex);
  const isLifted = ({ position, transform, translate, scale, rotate }: CSSStyleDeclaration): boolean =>
    position !== 'static' || transform !== 'none' || translate !== 'none' || scale !== 'none' || rotate !== 'none';
  const isOff = (style: CSSStyleDeclaration): boolean =>
    style.position !== 'static' || style.float !== 'none' || style.margin.includes('-') || isLifted(style);
  const isVeiled = (style: CSSStyleDeclaration): boolean =>
    style.opacity !== '1' ||
    style.filter !== 'none' ||
    style.backdropFilter !== 'none' ||
    style.mixBlendMode !== 'normal' ||
    style.maskImage !== 'none';
  // Nobody has to read these.
  const isDisabled = (element: Element): boolean =>
    (element.matches('button:disabled, input:disabled, select:disabled, textarea:disabled, fieldset:disabled') ||
      element.getAttribute('aria-disabled') === 'true') &&
    !element.querySelector('[aria-disabled]');
  const replaced = new Set(['IMG', 'SVG', 'CANVAS', 'VIDEO', 'IFRAME', 'OBJECT', 'EMBED']);
  const noText = new Set(['hidden', 'range', 'color', 'checkbox', 'radio', 'image', 'file']);

  const reasonOf = (style: CSSStyleDeclaration, seen: Box, { colour: below, colourBox, doubt: reason }: Ground): string | null => {
    if (reason !== null) return reason;
    const colour = colourOf(style.color);
    if (!colour || !below) return 'its colour or its ground is not one';
    if (style.textShadow !== 'none' || style.webkitTextFillColor !== style.color) return 'its letters have more than a colour';
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 19 && Number(style.fontWeight) >= 700);
    // A little more than is wanted, as roundings differ.
    if (contrast(over(colour, below), below) < (isLarge ? 3 : 4.5) + 0.02) return 'its contrast is small';
    return isEmpty(seen) || isInside(seen, colourBox) ? null : 'it leaves its ground';
  };
  const judge = (element: Element, style: CSSStyleDeclaration, box: Box, ground: Ground): void => {
    const seen = common(box, ground.seen);
    const reason = reasonOf(style, seen, ground);
    if (reason !== null) doubt(reason, element);
    else if (!isEmpty(seen)) texts.push({ element, box: seen, ground, isAstray: ground.isAstray || !isInside(seen, ground.inside) });
  };

  const look = (element: Element, outer: Ground): void => {
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.opacity === '0' || isDisabled(element)) return;
    const { tagName } = element;
    const isPage = tagName === 'HTML' || tagName === 'BODY';
    const box = element.getBoundingClientRect();
    const { position, display, visibility } = style;
    let { colour, colourLayer, colourBox, layer, inside, isAstray, seen, placed, doubt: reason } = outer;
    if (position === 'absolute') ({ inside, seen } = { inside: common(placed.inside, colourBox), seen: placed.seen });
    if (position === 'fixed') ({ inside, seen } = { inside: colourBox, seen: everywhere });
    if (isOff(style)) layer = { element, below: layer, isLifted: isLifted(style), zIndex: zIndexOf(element, style) };
    if (isVeiled(style) || layer.zIndex < 0) reason ??= 'it is not shown as it is';
    const clear = inside;
    if (display !== 'inline' && display !== 'contents') inside = common(inside, box);
    if (isPage) inside = everywhere;
    const isPainted = display !== 'contents' && visibility === 'visible';
    const own = isPainted ? colourOf(style.backgroundColor) : transparent;
    const isPlain = !isPainted || (style.backgroundImage === 'none' && (own?.[3] === 0 || style.backgroundClip === 'border-box'));
    if (!own || !isPlain) colour = null;
    else if (own[3] === 1) {
      colour = own;
      colourLayer = layer;
      colourBox = isPage ? everywhere : box;
      inside = colourBox;
      // What follows is painted over it, and under its letters.
      isAstray ||= !isInside(common(box, seen), clear);
    } else if (own[3] > 0) colour = colour && over(own, colour);
    if (isPainted && !isPage && (!own || !isPlain || own[3] > 0 || replaced.has(tagName.toUpperCase())))
      painted.push({ element, box: common(box, seen), layer });
    if (!isPage && style.overflow !== 'visible') {
      seen = common(seen, box);
      if (!isEmpty(seen) && !isInside(seen, colourBox)) reason ??= 'it leaves its ground';
      if (!isEmpty(seen) && !isInside(seen, inside)) isAstray = true;
      inside = everywhere;
    }
    if (position !== 'static' || isLifted(style)) placed = { inside, seen };
    const ground: Ground = { colour, colourLayer, colourBox, layer, inside, isAstray, seen, placed, doubt: reason };
    if (tagName === 'INPUT' || tagName === 'SELECT' || tagName === 'TEXTAREA') {
      const isText = !noText.has((element as HTMLInputElement).type);
      if (isText && visibility === 'visible') judge(element, style, box, ground);
      return;
    }
    if (tagName.toUpperCase() === 'SVG') return;
    for (const child of element.childNodes) {
      if (child instanceof Element) look(child, ground);
      else if (child instanceof Text && visibility === 'visible' && child.data.trim() !== '') {
        const range = document.createRange();
        range.selectNodeContents(child);
        judge(element, style, range.getBoundingClientRect(), ground);
      }
    }
    if (element.shadowRoot) doubt('it has a tree of its own', element);
  };

  const page: Layer = { element: document.documentElement, below: null, isLifted: false, zIndex: 0 };
  const canvas: Colour = [255, 255, 255, 1];
  const { colorScheme } = getComputedStyle(document.documentElement);
  look(document.documentElement, {
    colour: colorScheme.includes('dark') ? null : canvas,
    colourLayer: page,
    colourBox: everywhere,
    layer: page,
    inside: everywhere,
    isAstray: false,
    seen: everywhere,
    placed: { inside: everywhere, seen: everywhere },
    doubt: null,
  });

  const isAbove = (layer: Layer, other: Layer): boolean => {
    for (let at = layer.below; at; at = at.below) if (at === other) return true;
    return false;
  };
  /** Layers from this one down to what both stand on; that one is left out. */
  const downTo = (layer: Layer, other: Layer): Layer[] => {
    const chain: Layer[] = [];
    for (let at: Layer | null = layer; at && at !== other && !isAbove(other, at); at = at.below) chain.push(at);
    return chain;
  };
  /** Whether all of a layer is painted after what flows in the other. */
  const isOver = (layer: Layer, other: Layer): boolean => {
    const [ours, theirs] = [downTo(layer, other), downTo(other, layer)];
    const outermost = ours.at(-1);
    if (!outermost?.isLifted || ours.some(({ zIndex }) => zIndex < 0)) return false;
    const first = theirs.at(-1);
    if (!first) return true;
    const highest = Math.max(...theirs.map(({ zIndex }) => zIndex));
    const follows = (first.element.compareDocumentPosition(outermost.element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    return outermost.zIndex > highest || (outermost.zIndex === highest && follows);
  };
  for (const { element, box, ground, isAstray } of texts) {
    const under = painted.find(
      (one) =>
        (isAstray || one.layer !== ground.layer) &&
        !isEmpty(common(one.box, box)) &&
        !one.element.contains(element) &&
        !element.contains(one.element) &&
        // What the text's ground lies over does not shine through, and what lies over the text is not its ground.
        (one.layer === ground.layer || (!isOver(ground.colourLayer, one.layer) && !isOver(one.layer, ground.layer))),
    );
    if (under) doubt(`<${under.element.tagName.toLowerCase()} class="${under.element.className}"> lies there, too`, element);
  }
  return doubts;
}
