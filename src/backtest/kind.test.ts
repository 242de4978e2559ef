import { describe, expect, test } from 'vitest'
import { loadConfig } from '../config/config.js'
import { answersKind } from './kind.js'

const kind = (env: Record<string, string>, version = '1.0.0') =>
  answersKind(loadConfig(env), version)
const usual = kind({})

describe('answersKind', () => {
  test('names the version', () => {
    expect(usual).toMatch(/^1\.0\.0-[0-9a-f]{8}$/)
    expect(kind({}, '1.0.1')).not.toBe(usual)
  })

  test.each([
    { CANDIDATES: '23' },
    { MAX_HOPS: '2' },
    { PROOF: 'adaptive' },
    { L1_DATA_FEE: 'shown' },
    { POOL_BLACKLIST: `0x${'1'.repeat(40)}` },
    { V4_HOOKS_ALLOWLIST: `0x${'1'.repeat(40)}` },
    { LIQUIDITY_FLOOR_USD: '1' },
    { PRIORITY_FEE_WEI_1: '1' },
    { ACROSS_FEE_BPS: '6' },
    { ACROSS_MAX_USD: '1000' },
    { TOKEN_LISTS: 'https://lists.example' },
    { RPC_URL_1: 'https://node.example' },
  ])('%o changes answers', (env) => {
    expect(kind(env)).not.toBe(usual)
  })

  test.each([
    { WORKERS: '3' },
    { PORT: '1' },
    { DATA_DIR: '/elsewhere' },
    { REDIS_URL: 'redis://queue.example' },
  ])('%o does not', (env) => {
    expect(kind(env)).toBe(usual)
  })

  test('one node is as good as another, and the order of lists says nothing', () => {
    expect(kind({ RPC_URL_1: 'https://a.example' })).toBe(kind({ RPC_URL_1: 'https://b.example' }))
    const [a, b] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
    expect(kind({ POOL_BLACKLIST: `${a},${b}` })).toBe(kind({ POOL_BLACKLIST: `${b},${a}` }))
  })
})
