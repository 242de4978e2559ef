/** The tracer itself, with a collector on loopback: what it keeps, what it loses, and how it ends. */
import { expect, onTestFinished, test } from 'vitest'
import {
  inSpan,
  inTrace,
  inTraceOf,
  isTracing,
  noteSpan,
  startTracing,
  traceparent,
} from '../../../src/telemetry/tracing.js'
import { startTraceSink } from '../../support/service/trace-sink.js'

async function start(options: Parameters<typeof startTraceSink>[0] = {}, closeMs = 10_000) {
  const sink = await startTraceSink(options)
  const problems: (string | null)[] = []
  const stop = await startTracing({
    url: `${sink.url}/v1/traces`,
    headers: {},
    serviceName: 'test',
    version: '1',
    closeMs,
    onProblem: (reason) => problems.push(reason),
  })
  onTestFinished(async () => {
    await stop()
    await sink.stop()
  })
  return { sink, stop, problems }
}

const nothing = async () => {}

test('without a start there are no spans, and the work runs as it is', async () => {
  expect(isTracing()).toBe(false)
  const seen = await inTrace('outer', () => inSpan('inner', async () => traceparent()))
  expect(seen).toBeUndefined()
  await expect(inSpan('fails', () => Promise.reject(new Error('own')))).rejects.toThrow('own')
  noteSpan({ fact: 1 })
})

test('a span without a trace is none; a trace has its parts, their facts and their failures', async () => {
  const { sink, stop } = await start()
  await inSpan('alone', nothing)
  await inTraceOf(undefined, 'also alone', nothing)
  const refused = Object.assign(new Error('0xsecret'), { code: 'NO_ROUTE', status: 422 })
  await inTrace('outer', async () => {
    await inSpan('inner', async () => noteSpan({ 'forkroute.calls': 3 }), { kind: 'client' })
    await inSpan('refused', () => Promise.reject(refused)).catch(nothing)
    await inSpan('broken', () => Promise.reject(new TypeError('0xsecret'))).catch(nothing)
  })
  await stop()
  const [outer] = sink.spans.filter(({ name }) => name === 'outer')
  const parentSpanId = outer?.spanId
  expect(sink.spans.filter((span) => span !== outer)).toMatchObject([
    { name: 'inner', parentSpanId, kind: 3, attributes: { 'forkroute.calls': 3 } },
    { name: 'refused', parentSpanId, isError: false, attributes: { 'error.type': 'NO_ROUTE' } },
    { name: 'broken', parentSpanId, isError: true, attributes: { 'error.type': 'TypeError' } },
  ])
  expect(sink.bodies.join()).not.toContain('secret')
})

test('of 20,000 spans that a collector does not take, at most 2,560 are kept', async () => {
  let release = nothing as () => void
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { sink, stop } = await start({ hold: held })
  for (let left = 20_000; left > 0; left--) await inTrace('one', nothing)
  release()
  await stop()
  expect(sink.spans.length).toBeGreaterThan(2_000)
  expect(sink.spans.length).toBeLessThanOrEqual(2_560)
})

test('a close gives a collector that does not answer its time, and no more', async () => {
  const { stop } = await start({ hold: new Promise(() => {}) }, 500)
  await inTrace('one', nothing)
  const begun = performance.now()
  await stop()
  const took = performance.now() - begun
  expect(took).toBeGreaterThan(450)
  expect(took).toBeLessThan(3_000)
})

test('a collector that refuses is told of once, and so is that it takes spans again', async () => {
  const { stop, problems, sink } = await start({ refuses: [400] })
  // As many as go out at once.
  for (let left = 512; left > 0; left--) await inTrace('lost', nothing)
  await expect.poll(() => problems).toEqual(['400'])
  await inTrace('taken', nothing)
  await stop()
  expect(problems).toEqual(['400', null])
  expect(sink.spans.map(({ name }) => name)).toEqual(['taken'])
})
