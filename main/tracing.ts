import { createOtlpExporter } from '#net/tracing/otlp-exporter.ts';
import { type OtlpSettings, otlpTarget } from '#net/tracing/otlp-settings.ts';
import type { Tracer } from '#net/tracing/span.ts';
import { createTracer } from '#net/tracing/tracer.ts';

interface AgentTracing {
  readonly tracer: Tracer;
  close(): Promise<void>;
}

/** Sends the agent's spans to a collector. @throws OtlpSettingsError for settings that cannot be used */
export function openAgentTracing(
  settings: OtlpSettings,
  version: string,
  log: { warn(facts: object, message: string): void },
): AgentTracing {
  const { url, headers, ratio } = otlpTarget(settings);
  const exporter = createOtlpExporter({
    url,
    headers,
    resource: {
      'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'longshore-agent',
      'service.version': version,
      'process.pid': process.pid,
    },
    onTrouble: (facts) => log.warn(facts, 'spans cannot be sent to the collector; the agent goes on without them'),
  });
  return { tracer: createTracer({ scope: 'agent', ratio, onEnd: exporter.add }), close: exporter.close };
}
