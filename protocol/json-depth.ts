/** Levels of lists and objects in a body. What routes take has less than ten. */
export const mostLevels = 500;

/**
 * Whether JSON is nested deeper than that: what reads or writes it level by level, as `JSON.stringify` does, would run out of stack
 * at some thousands. Of a text that is not JSON it says nothing.
 */
export function isTooDeep(json: string): boolean {
  // Each level takes a character to open it and one to close it, so most bodies are not looked at.
  if (json.length <= 2 * mostLevels) return false;
  let levels = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (inText) {
      if (code === backslash) at += 1;
      else if (code === quote) inText = false;
    } else if (code === quote) inText = true;
    else if (code === list.opens || code === object.opens) {
      levels += 1;
      if (levels > mostLevels) return true;
    } else if (code === list.closes || code === object.closes) levels -= 1;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const list = { opens: 0x5b, closes: 0x5d } as const;
const object = { opens: 0x7b, closes: 0x7d } as const;
