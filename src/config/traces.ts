/** Variables of the environment for traces, by OpenTelemetry's names. */
import { z } from 'zod'
import { headers, urlOf } from './values.js'

/** Where traces go. `url` and `headers` may carry secrets. */
export interface TracesConfig {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

const message = 'must be an http(s) URL such as http://127.0.0.1:4318'

export const tracesVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(['http:', 'https:'], message).describe(
    'Collector that takes traces by OTLP over HTTP, to whose path /v1/traces is added (docs/how-to/telemetry.md). Default: nothing is traced.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: urlOf(['http:', 'https:'], message).describe(
    'The same, as the whole URL.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: headers.describe(
    'Headers for the collector: name=value, comma-separated, values URL-encoded.',
  ),
  OTEL_SERVICE_NAME: z.string().default('forkroute').describe('Name of the service in traces.'),
}

/** Null where no collector is named. */
export function tracesOf(read: z.infer<z.ZodObject<typeof tracesVariables>>): TracesConfig | null {
  const base = read.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/*$/, '/v1/traces')
  const url = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? base
  if (url === undefined) return null
  return { url, headers: read.OTEL_EXPORTER_OTLP_HEADERS, serviceName: read.OTEL_SERVICE_NAME }
}
