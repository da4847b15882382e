/** `system`: as the browser's own theme. */
export type Appearance = 'system' | 'light' | 'dark';

/** The media query that makes the chosen theme active. */
function mediaFor(theme: 'dark' | 'light', appearance: Appearance): string {
  if (appearance === 'system') return `(prefers-color-scheme: ${theme})`;
  return appearance === theme ? 'all' : 'not all';
}

/**
 * Switches the page to light or dark. The styles define dark colours once, under `prefers-color-scheme`, and pages
 * without a choice leave them so. Here these conditions are rewritten in place; each rule's original condition is remembered.
 */
export function applyAppearance(document: Document, appearance: Appearance): void {
  document.documentElement.style.colorScheme = appearance === 'system' ? '' : appearance;
  for (const sheet of document.styleSheets) visit(sheet.cssRules, appearance);
}

const themes = new WeakMap<CSSMediaRule, 'dark' | 'light'>();

function visit(rules: CSSRuleList, appearance: Appearance): void {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) {
      const theme = themes.get(rule) ?? /^\(prefers-color-scheme:\s*(dark|light)\)$/.exec(rule.media.mediaText)?.[1];
      if (theme === 'dark' || theme === 'light') {
        themes.set(rule, theme);
        rule.media.mediaText = mediaFor(theme, appearance);
      }
    }
    if (rule instanceof CSSGroupingRule) visit(rule.cssRules, appearance);
  }
}
