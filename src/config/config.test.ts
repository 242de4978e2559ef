import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.js'

function problems(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('loadConfig', () => {
  test('an empty environment gives the documented defaults', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      authMode: 'key',
      rpcUrls: {},
      forksPerBlock: 2,
      candidates: 24,
      maxHops: 3,
      tokenLists: [],
      serviceName: 'svc',
      corsOrigins: [],
      maxHeadAgeSeconds: null,
    })
    expect(loadConfig({}).dataDir).toMatch(/^\/.*\/data$/)
  })

  test('blank variables count as not set', () => {
    expect(loadConfig({ PORT: '', HOST: ' ', RPC_URL_1: '', MAX_HEAD_AGE_SECONDS: '' })).toEqual(
      loadConfig({}),
    )
  })

  test('a collector by its base or by its whole URL; headers are never repeated', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/' }
    const given = { ...base, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush, x-a=b=c' }
    expect(loadConfig({}).traces).toBeNull()
    expect(loadConfig(given).traces).toEqual({
      url: 'http://collector.example:4318/v1/traces',
      headers: { authorization: 'Bearer hush', 'x-a': 'b=c' },
      serviceName: 'forkroute',
    })
    const whole = 'https://collector.example/own'
    const both = { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole, OTEL_SERVICE_NAME: 'desk' }
    expect(loadConfig(both).traces).toMatchObject({ url: whole, serviceName: 'desk' })
    for (const text of ['hush', 'a=%zz', 'a b=hush', 'a=hush hush']) {
      expect(problems({ ...base, OTEL_EXPORTER_OTLP_HEADERS: text })).toEqual([
        'OTEL_EXPORTER_OTLP_HEADERS: must be name=value, comma-separated, with URL-encoded values.',
      ])
    }
    expect(problems({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http(s) URL such as http://127.0.0.1:4318.',
    ])
  })

  test('lists, nodes and tips', () => {
    const id = `0x${'Ab'.repeat(32)}`
    const hooks = `0x${'Cd'.repeat(20)}`
    expect(
      loadConfig({
        RPC_URL_1: 'https://a.example/v2/key, http://127.0.0.1:8545',
        RPC_URL_8453: 'https://b.example',
        PRIORITY_FEE_WEI_1: '2000000000',
        CORS_ORIGINS: 'https://app.example.org,http://localhost:5173',
        TOKEN_LISTS: './mine.json,https://lists.example/all.json',
        POOL_BLACKLIST: id,
        V4_HOOKS_ALLOWLIST: hooks,
        LIQUIDITY_FLOOR_USD: '0.5',
        ACROSS_FEE_BPS: '12',
        ACROSS_MAX_USD: '2500.5',
      }),
    ).toMatchObject({
      rpcUrls: {
        1: ['https://a.example/v2/key', 'http://127.0.0.1:8545'],
        8453: ['https://b.example'],
      },
      priorityFeePerGas: { 1: 2_000_000_000n },
      corsOrigins: ['https://app.example.org', 'http://localhost:5173'],
      tokenLists: ['./mine.json', 'https://lists.example/all.json'],
      poolBlacklist: [id.toLowerCase()],
      v4HooksAllowlist: [hooks.toLowerCase()],
      liquidityFloorUsd: 0.5,
      acrossFeeBps: 12,
      acrossMaxUsd: 2500.5,
    })
  })

  test('every mistake is listed at once, without the values of nodes', () => {
    const found = problems({
      PORT: '65536',
      AUTH_MODE: 'none',
      WORKERS: '0',
      CANDIDATES: '1.5',
      MAX_HOPS: '5',
      SERVICE_NAME: 'My-Service',
      LOG_LEVEL: 'loud',
      CORS_ORIGINS: 'https://app.example.org/path',
      POOL_BLACKLIST: '0x12',
      V4_HOOKS_ALLOWLIST: '0x12',
      LIQUIDITY_FLOOR_USD: '-1',
      ACROSS_FEE_BPS: '1001',
      ACROSS_MAX_USD: '0',
      MAX_HEAD_AGE_SECONDS: '0',
      REDIS_URL: 'http://:SECRET@queue.example',
      DATABASE_URL: 'mysql://user:SECRET@db.example',
      RPC_URL_1: 'wss://user:SECRET@node.example',
      RPC_URL_x: 'https://node.example/SECRET',
      RPC_URL_999999: 'https://node.example/SECRET',
      PRIORITY_FEE_WEI_1: '1 gwei',
    })
    expect(found.map((text) => text.split(':')[0])).toEqual([
      'PORT',
      'AUTH_MODE',
      'WORKERS',
      'CANDIDATES',
      'MAX_HOPS',
      'SERVICE_NAME',
      'LOG_LEVEL',
      'CORS_ORIGINS',
      'POOL_BLACKLIST',
      'V4_HOOKS_ALLOWLIST',
      'LIQUIDITY_FLOOR_USD',
      'ACROSS_FEE_BPS',
      'ACROSS_MAX_USD',
      'MAX_HEAD_AGE_SECONDS',
      'REDIS_URL',
      'DATABASE_URL',
      'RPC_URL_1',
      'RPC_URL_x',
      'RPC_URL_999999',
      'PRIORITY_FEE_WEI_1',
    ])
    expect(found[0]).toBe('PORT: must be an integer from 0 to 65535.')
    expect(found.join()).not.toContain('SECRET')
  })

  test.each([
    ['*', true],
    ['https://a.example', true],
    ['https://a.example/', false],
    ['a.example', false],
    ['ftp://a.example', false],
  ])('CORS_ORIGINS=%s is valid: %s', (origin, isValid) => {
    expect(problems({ CORS_ORIGINS: origin }).length === 0).toBe(isValid)
  })
})
