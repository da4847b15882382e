import type { SpanExporter } from '#net/tracing/otlp-exporter.ts';
import { type OtlpSettings, OtlpSettingsError, otlpTarget } from '#net/tracing/otlp-settings.ts';
import type { FinishedSpan, Tracer } from '#net/tracing/span.ts';
import { createTracer } from '#net/tracing/tracer.ts';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';

export interface TracingOptions extends OtlpSettings {
  /** `service.name` of the spans (`OTEL_SERVICE_NAME`). */
  readonly serviceName?: string | undefined;
}

export interface Tracing {
  readonly tracer: Tracer;
  readonly ratio: number;
  /** Spans of another thread. */
  add(spans: readonly FinishedSpan[]): void;
  readonly counts: SpanExporter['counts'];
  close(): Promise<void>;
}

/** Sends spans to the operator's collector. Errors: `StartError`. */
export async function openTracing(options: TracingOptions, version: string, log: Log): Promise<Tracing> {
  const { url, headers, ratio } = checkedTarget(options);
  // Loaded only when needed.
  const { createOtlpExporter } = await import('#net/tracing/otlp-exporter.ts');
  const exporter = createOtlpExporter({
    url,
    headers,
    resource: { 'service.name': options.serviceName ?? 'longshore-service', 'service.version': version, 'process.pid': process.pid },
    onTrouble: (facts) => log.warn(facts, 'spans cannot be sent to the collector; the service goes on without them'),
  });
  return {
    tracer: createTracer({ scope: 'service', ratio, onEnd: exporter.add }),
    ratio,
    add(spans) {
      for (const span of spans) exporter.add(span);
    },
    counts: exporter.counts,
    close: exporter.close,
  };
}

/** Errors: `StartError`. */
export function checkedTarget(options: OtlpSettings): ReturnType<typeof otlpTarget> {
  try {
    return otlpTarget(options);
  } catch (error) {
    if (error instanceof OtlpSettingsError) throw new StartError('option_invalid', error.message, { cause: error });
    throw error;
  }
}
