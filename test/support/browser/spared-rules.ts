import type { Page } from 'playwright-core';
import { findDoubtfulLinks, findDoubtfulTexts } from './readable.ts';

/** Rules of axe that a look at the page can spare, and what tells whether one of them has nothing to complain of. */
const proofs = {
  'color-contrast': `(${findDoubtfulTexts})().length === 0`,
  'link-in-text-block': `(${findDoubtfulLinks})().length === 0`,
  'avoid-inline-spacing': `!document.querySelector('[style*="important" i]')`,
  'scrollable-region-focusable': `!(${canScroll})()`,
  'button-name': `!(${hasSilentButton})()`,
  'target-size': `!(${hasDoubtfulTarget})()`,
};
/** Among all rules, those that cost more than to look whether they are needed. */
const dearest = ['color-contrast', 'avoid-inline-spacing'];

/** Those of these rules, or of all, that would find nothing on the page as it stands. */
export const sparedRules = async (page: Page, rules: readonly string[] = dearest): Promise<string[]> => {
  const asked = Object.entries(proofs).filter(([rule]) => rules.includes(rule));
  if (asked.length === 0) return [];
  return page.evaluate(`[${asked.map(([rule, proof]) => `${proof} ? '${rule}' : []`).join(', ')}].flat()`);
};

/** Runs in the page: whether any part of it can be scrolled. */
function canScroll(): boolean {
  return [...document.querySelectorAll('*')].some(
    (one) =>
      one.shadowRoot !== null ||
      ((one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth) && /auto|scroll/.test(getComputedStyle(one).overflow)),
  );
}

/** Runs in the page: whether a button has neither a label nor a text that is shown and read out. */
function hasSilentButton(): boolean {
  const isRead = ({ data, parentElement }: Text): boolean =>
    data.trim() !== '' && !parentElement!.closest('[aria-hidden=true]') && parentElement!.checkVisibility({ visibilityProperty: true });
  return [...document.querySelectorAll('button')].some((button) => {
    if (!button.checkVisibility() || button.ariaLabel?.trim()) return false;
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) if (isRead(texts.currentNode as Text)) return false;
    return true;
  });
}

/**
 * Runs in the page: whether what the keyboard comes to and can be pressed may be too small, or be covered by something else of
 * the kind. It is certain where it has its 24 px in both directions, or the others leave a circle of that size around its middle.
 */
function hasDoubtfulTarget(): boolean {
  const least = 24;
  const pressed = 'a[href], area[href], button, input, select, textarea, summary, [tabindex][role], [contenteditable]';
  const targets = [...document.querySelectorAll<HTMLElement>(pressed)]
    .filter((one) => one.checkVisibility())
    .map((one) => {
      const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
      const [x, y, isSmall] = [(left + right) / 2, (top + bottom) / 2, width < least || height < least];
      return { left, top, right, bottom, x, y, isSmall, isShown: width > 0 && height > 0, isReached: one.tabIndex >= 0 };
    })
    .filter(({ isShown }) => isShown);
  type Target = (typeof targets)[number];
  const meet = (one: Target, other: Target): boolean =>
    other.left < one.right && other.right > one.left && other.top < one.bottom && other.bottom > one.top;
  const isNear = ({ x, y }: Target, other: Target): boolean => {
    const away = Math.hypot(Math.max(other.left - x, 0, x - other.right), Math.max(other.top - y, 0, y - other.bottom));
    return away < least / 2 || (other.isSmall && Math.hypot(other.x - x, other.y - y) < least);
  };
  return targets.some(
    (one) => one.isReached && targets.some((other) => other !== one && (meet(one, other) || (one.isSmall && isNear(one, other)))),
  );
}
