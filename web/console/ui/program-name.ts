const browsers = [
  ['Edge', /\bEdg\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\bFirefox\/(\d+)/],
  ['Chrome', /\b(?:Headless)?Chrome\/(\d+)/],
  ['Safari', /\bVersion\/(\d+).*\bSafari\//],
] as const;

const systems = [
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** How a person would name what sent a `User-Agent`: `Firefox 140, macOS`, `longshore 0.1.0`. */
export function programName(userAgent: string): string {
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent));
  if (!browser) {
    const [name = '', version] = (userAgent.split(/\s/)[0] ?? '').split('/');
    return version ? `${name} ${version}` : name || '–';
  }
  const version = browser[1].exec(userAgent)?.[1] ?? '';
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return `${browser[0]} ${version}${system ? `, ${system}` : ''}`;
}
