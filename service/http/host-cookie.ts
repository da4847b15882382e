/** Name and attributes of a cookie for the service's own pages, by the scheme of the service's public address. */
export interface HostCookie {
  /** The value for `Set-Cookie`. `seconds` is how long the browser keeps it. */
  set(value: string, seconds: number): string;
  /** The value for `Set-Cookie` that removes it. */
  clear(): string;
  /** Its value in a `Cookie` header; null if there is none. */
  read(header: string | undefined): string | null;
}

/**
 * `__Host-` binds the cookie to this host, to TLS and to the whole path, so that no neighbouring host can set it. Browsers
 * take such a cookie over TLS and from their own machine only; a service that is offered without TLS elsewhere has one
 * without that protection.
 */
export function hostCookie(publicUrl: string, plainName: string): HostCookie {
  const isSecure = publicUrl.startsWith('https:') || isOwnMachine(new URL(publicUrl).hostname);
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    set: (value, seconds) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    read(header) {
      if (header === undefined || header.length > 16_384) return null;
      return (
        header
          .split(/; */)
          .find((one) => one.startsWith(`${name}=`))
          ?.slice(name.length + 1) || null
      );
    },
  };
}

const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
