/** One or two letters that stand for a name. */
export function initials(name: string): string {
  const messages = name.trim().split(/\s+/).filter(Boolean);
  const letters = messages.length > 1 ? [messages[0], messages.at(-1)] : [messages[0]];
  return letters.map((word) => [...(word ?? '?')][0]?.toLocaleUpperCase() ?? '?').join('');
}
