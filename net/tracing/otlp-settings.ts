/** Where spans are sent, by OpenTelemetry's own names of settings. Errors are `OtlpSettingsError`s. */
export interface OtlpSettings {
  /** The collector's base address (`OTEL_EXPORTER_OTLP_ENDPOINT`), to which `/v1/traces` is added. */
  readonly url: string;
  /** `name=value,…`, values percent-encoded (`OTEL_EXPORTER_OTLP_HEADERS`). Secrets may be in it. */
  readonly headers?: string | undefined;
  /** The share of traces that are kept, from 0 to 1 (`OTEL_TRACES_SAMPLER_ARG`); all by default. */
  readonly ratio?: number | undefined;
}

/** The message is a sentence, which shows no value of a header. */
export class OtlpSettingsError extends Error {
  override readonly name = 'OtlpSettingsError';
}

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ratio: number;
}

export function otlpTarget({ url, headers = '', ratio = 1 }: OtlpSettings): OtlpTarget {
  const base = URL.parse(url);
  if (!base || !/^https?:$/.test(base.protocol) || base.username || base.password) {
    throw new OtlpSettingsError(
      'The address of the collector (--otlp-url, OTEL_EXPORTER_OTLP_ENDPOINT) is not valid. Give it like http://127.0.0.1:4318; what it asks to see goes into OTEL_EXPORTER_OTLP_HEADERS.',
    );
  }
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new OtlpSettingsError('The share of traces that are kept (--trace-ratio, OTEL_TRACES_SAMPLER_ARG) is a number from 0 to 1.');
  }
  return { url: `${base.origin}${base.pathname.replace(/\/+$/, '')}/v1/traces${base.search}`, headers: parseHeaders(headers), ratio };
}

function parseHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const entry of text.split(',').filter((one) => one.trim() !== '')) {
    const cut = entry.indexOf('=');
    const name = entry.slice(0, Math.max(0, cut)).trim().toLowerCase();
    const value = decoded(entry.slice(cut + 1).trim());
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || value === null) {
      throw new OtlpSettingsError(
        'OTEL_EXPORTER_OTLP_HEADERS is not valid. Give it like name=value,other=value, with values percent-encoded.',
      );
    }
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    const value = decodeURIComponent(text);
    return /^[\t -~]*$/.test(value) ? value : null;
  } catch {
    return null;
  }
}
