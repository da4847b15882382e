import type { Settings } from '#protocol/agent/settings.ts';

type Appearance = Settings['appearance'];

/** What a media query that asks for a theme has to say, so that the chosen one holds. */
function mediaFor(theme: 'dark' | 'light', appearance: Appearance): string {
  if (appearance === 'system') return `(prefers-color-scheme: ${theme})`;
  return appearance === theme ? 'all' : 'not all';
}

/**
 * Turns the page light or dark. The styles know their dark colours once, under `prefers-color-scheme`, as the pages of
 * the service do; here those conditions are rewritten in place. Original conditions are remembered per rule.
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
