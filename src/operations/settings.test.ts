import { describe, expect, test } from 'vitest'
import { environment, loadConfig } from '../config/config.js'
import { environmentOf, settingsOf } from './settings.js'

const env = {
  REDIS_URL: 'rediss://u:pw@cache.example',
  DATABASE_URL: 'postgresql://u:pw@db.example/x',
  RPC_URL_1: 'https://node.example/pw',
  PRIORITY_FEE_WEI_1: '5',
  OPPORTUNITIES: 'on',
  CORS_ORIGINS: 'https://a.example',
  POOL_INDEX: 'on',
  WORKERS: '3',
  MAX_HOPS: '2',
  SANDBOX_CHAINS: '1,8453',
  ACROSS_MAX_USD: '7',
  MCP_BACKTESTS: 'run',
  PROOF: 'adaptive',
  L1_DATA_FEE: 'shown',
  CAUTIONS: 'off',
}

describe('settingsOf', () => {
  test('every variable is there, and no secret', () => {
    const settings = settingsOf(loadConfig(env))
    const names = settings.map(({ name }) => name)
    expect(names).toEqual(['RPC_URL_1', 'PRIORITY_FEE_WEI_1', ...Object.keys(environment.shape)])
    expect(JSON.stringify(settings)).not.toMatch(/pw|node\.example|cache\.example|db\.example/)
    const changed = settings.filter(({ isChanged }) => isChanged).map(({ name }) => name)
    expect(changed).toEqual(expect.arrayContaining(['REDIS_URL', 'DATABASE_URL', 'POOL_INDEX']))
    expect(changed).not.toContain('CANDIDATES')
  })
})

describe('environmentOf', () => {
  test('makes the same configuration again, apart from nodes and what is shared with others', () => {
    const given = loadConfig(env)
    const {
      rpcUrls: _,
      redisUrl: __,
      databaseUrl: ___,
      ...again
    } = loadConfig(environmentOf(given))
    expect({ ...given, ...again }).toEqual(given)
    expect(JSON.stringify(environmentOf(given))).not.toMatch(/pw|node\.example/)
  })
})
