/** Funds by override for every way in which tokens keep balances, shown by spending them. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type BlockPin, nativeToken } from '../../../src/domain/primitives.js'
import type { StateOverrides } from '../../../src/domain/state.js'
import { residentBytes } from '../../../src/forks/health.js'
import type { ForkLease } from '../../../src/forks/lease.js'
import { ForkPool } from '../../../src/forks/pool.js'
import { simulate } from '../../../src/forks/simulate.js'
import { createFunding } from '../../../src/forks/tokens/funding.js'
import { fundFromHolder } from '../../../src/forks/tokens/holder-funding.js'
import { createTokenAccess, slotsFor } from '../../../src/forks/tokens/token-access.js'
import { startArchive } from '../../../src/rpc/archive/archive.js'
import { startTestChain, type TestChain } from '../../support/test-chain.js'

const owners: readonly Address[] = [
  '0x00000000000000000000000000000000beef0011',
  '0x00000000000000000000000000000000beef0012',
]
const spender: Address = '0x00000000000000000000000000000000beef0013'
const receiver: Address = '0x00000000000000000000000000000000beef0014'
const endless: Address = '0x00000000000000000000000000000000beef0015'
/** Answers balances of a mapping in slot 3 with nothing but the slot on the stack when it loads, as old Vyper does. */
const bare: Address = '0x00000000000000000000000000000000beef0016'
const amount = 123_456_789n

let testChain: TestChain
let pool: ForkPool
let pin: BlockPin
let lease: ForkLease
const tokens: Record<string, Address> = {}

beforeAll(async () => {
  testChain = await startTestChain()
  // Expands memory to 32 kB, then loops.
  await testChain.node.rpc('anvil_setCode', [endless, '0x5f61800052' + '5b600556'])
  await testChain.node.rpc('anvil_setCode', [
    bare,
    '0x60043560005260036020526040600020' + '5460005260206000f3',
  ])
  const logic = await testChain.deploy('PlainToken')
  tokens['Solidity mappings'] = logic
  tokens["Vyper's order"] = await testChain.deploy('VyperOrderToken')
  tokens['a proxy'] = await testChain.deploy('Proxy', [logic])
  tokens['a packed word'] = await testChain.deploy('PackedToken')
  tokens['books in another contract'] = await testChain.deploy('LedgerToken')
  tokens.shares = await testChain.deploy('SharesToken', [testChain.deployer])
  tokens['all or nothing'] = await testChain.deploy('SwitchToken', [testChain.deployer])
  tokens.history = await testChain.deploy('HistoryToken', [testChain.deployer])
  for (const owner of owners) {
    await testChain.send(tokenOf('a packed word'), 'PackedToken', 'open', [owner, 1_700_000_000n])
  }
  pin = await testChain.pin()
  pool = new ForkPool({ archiveUrl: () => testChain.node.url, forksPerBlock: 1 })
  lease = await pool.acquire(pin)
})

afterAll(async () => {
  await pool?.close()
  await testChain?.stop()
})

function tokenOf(name: string): Address {
  const token = tokens[name]
  if (!token) throw new Error(`no token ${name}`)
  return token
}

/** The spender pulls everything from the owner; deltas of owner and receiver. */
async function pull(token: Address, owner: Address, overrides: StateOverrides, value = amount) {
  const data = testChain.encode('PlainToken', 'transferFrom', [owner, receiver, value])
  const measure = [owner, receiver].map((holder) => ({ token, owner: holder }))
  const [result] = await simulate({ urls: lease.urls, pin, chain: ethereum }, [
    { from: spender, to: token, data, value: 0n, overrides, measure },
  ])
  return result
}

describe('createTokenAccess', () => {
  test.each([
    'Solidity mappings',
    "Vyper's order",
    'a proxy',
    'a packed word',
    'books in another contract',
  ])('%s: names the slots of balance and allowance for parties it never met', async (name) => {
    const token = tokenOf(name)
    const [owner = receiver] = owners
    const allowance = { spender, amount }
    const context = { urls: lease.urls, pin }
    const funds = await createFunding().fund(context, { token, owner, amount, allowance })
    const needed = Object.entries(funds ?? {}).flatMap(([address, { stateDiff }]) =>
      Object.keys(stateDiff ?? {}).map((slot) => ({ address, slot })),
    )
    expect(needed).toHaveLength(2)
    const archive = await startArchive({
      dataDir: null,
      chains: [{ chainId: pin.chainId, urls: [testChain.node.url] }],
    })
    try {
      const archiveUrl = archive.url(pin.chainId, pin.number, pin.hash)
      const place = { pin, archiveUrl, urls: async () => lease.urls }
      const traced = await createTokenAccess().of(place, token)
      // A second thread gets what the first has left at the archive, and needs no fork for it.
      const stored = await createTokenAccess().of({ ...place, urls: async () => [] }, token)
      expect(stored).toEqual(traced)
      const named = stored && slotsFor(stored, new Set(owners), [[owner, spender]])
      expect(named).toEqual(expect.arrayContaining(needed))
    } finally {
      await archive.close()
    }
  })

  test('an archive that keeps nothing costs the hint, nothing else', async () => {
    const context = { urls: async () => lease.urls, pin, archiveUrl: testChain.node.url }
    expect(await createTokenAccess().of(context, receiver)).toBeNull()
  })
})

describe('createFunding', () => {
  test('a token that loads with one word on the stack', async () => {
    const [owner = receiver] = owners
    const funds = await createFunding().fund(
      { urls: lease.urls, pin },
      { token: bare, owner, amount },
    )
    expect(Object.keys(funds?.[bare]?.stateDiff ?? {})).toHaveLength(1)
  })

  test.each([
    'Solidity mappings',
    "Vyper's order",
    'a proxy',
    'a packed word',
    'books in another contract',
  ])('%s: owner after owner gets exactly the amount, and no more', async (name) => {
    const token = tokenOf(name)
    const funding = createFunding()
    for (const owner of owners) {
      const allowance = { spender, amount }
      const overrides = await funding.fund(
        { urls: lease.urls, pin },
        { token, owner, amount, allowance },
      )
      expect(await pull(token, owner, overrides ?? {})).toMatchObject({
        status: 'success',
        deltas: [{ amount: -amount }, { amount }],
      })
      expect(await pull(token, owner, overrides ?? {}, amount + 1n)).toMatchObject({
        status: 'reverted',
      })
    }
  })

  test('in a packed word only the bits of the balance change', async () => {
    const token = tokenOf('a packed word')
    const [owner = receiver] = owners
    const context = { urls: lease.urls, pin }
    const overrides = (await createFunding().fund(context, { token, owner, amount })) ?? {}
    const data = testChain.encode('PackedToken', 'stampOf', [owner])
    const [result] = await simulate({ urls: lease.urls, pin, chain: ethereum }, [
      { from: owner, to: token, data, value: 0n, overrides },
    ])
    expect(result?.status === 'success' && BigInt(result.returnData)).toBe(1_700_000_000n)
  })

  test('an amount that the field cannot hold is refused', async () => {
    const [owner = receiver] = owners
    const request = { token: tokenOf('a packed word'), owner, amount: 2n ** 128n }
    expect(await createFunding().fund({ urls: lease.urls, pin }, request)).toBeNull()
  })

  test('books in another contract are overridden there', async () => {
    const token = tokenOf('books in another contract')
    const [owner = receiver] = owners
    const overrides = await createFunding().fund(
      { urls: lease.urls, pin },
      { token, owner, amount },
    )
    expect(Object.keys(overrides ?? {})).toHaveLength(1)
    const [address] = Object.keys(overrides ?? {})
    expect(address).toMatch(/^0x[0-9a-f]{40}$/)
    expect(address).not.toBe(token)
  })

  test('native funds are a balance', async () => {
    const [owner = receiver] = owners
    const request = { token: nativeToken, owner, amount }
    const overrides = await createFunding().fund({ urls: lease.urls, pin }, request)
    expect(overrides).toEqual({ [owner]: { balance: amount } })
  })

  test('shares are overridden so that the balance is the amount or the least above it', async () => {
    const token = tokenOf('shares')
    const funding = createFunding()
    for (const owner of owners) {
      const allowance = { spender, amount }
      const request = { token, owner, amount, allowance }
      const overrides = (await funding.fund({ urls: lease.urls, pin }, request)) ?? {}
      const data = testChain.encode('SharesToken', 'balanceOf', [owner])
      const [balance] = await simulate({ urls: lease.urls, pin, chain: ethereum }, [
        { from: owner, to: token, data, value: 0n, overrides },
      ])
      const found = balance?.status === 'success' ? BigInt(balance.returnData) : 0n
      expect(found - amount).toBeLessThan(2n)
      expect(found).toBeGreaterThanOrEqual(amount)
      expect(await pull(token, owner, overrides)).toMatchObject({ status: 'success' })
    }
  })

  test('claims in part of a word, and permission for all or nothing: both are overridden, nothing beside them', async () => {
    const token = tokenOf('all or nothing')
    const [owner = receiver] = owners
    const index = 2n ** 64n - 3n
    await testChain.send(token, 'SwitchToken', 'open', [owner, index])
    const later = await testChain.pin()
    const own = await pool.acquire(later)
    const context = { urls: own.urls, pin: later }
    const allowance = { spender, amount }
    const request = { token, owner, amount, allowance }
    const overrides = (await createFunding().fund(context, request)) ?? {}
    const read = (name: string, args: readonly unknown[]) => {
      const data = testChain.encode('SwitchToken', name, args)
      return { from: owner, to: token, data, value: 0n, overrides }
    }
    const transfer = testChain.encode('SwitchToken', 'transferFrom', [owner, receiver, amount])
    const results = await simulate({ urls: own.urls, pin: later, chain: ethereum }, [
      read('balanceOf', [owner]),
      read('stampOf', [owner]),
      read('allowance', [owner, receiver]),
      { from: spender, to: token, data: transfer, value: 0n, overrides },
    ])
    own.release()
    const words = results.map((each) => each.status === 'success' && BigInt(each.returnData))
    expect(words).toEqual([amount, index, 0n, 1n])
  })

  test('a balance that no slot decides, and an address that is no token, cannot be overridden', async () => {
    const [owner = receiver] = owners
    for (const token of [tokenOf('history'), receiver]) {
      const request = { token, owner, amount }
      expect(await createFunding().fund({ urls: lease.urls, pin }, request)).toBeNull()
    }
  })
})

describe('a token that fills memory for ever', () => {
  test('has no slot, and costs the fork no more memory than another', async () => {
    const context = { urls: lease.urls, pin }
    const parties = { token: endless, owner: receiver, amount }
    expect(await createFunding().fund(context, parties)).toBeNull()
    const place = { pin, archiveUrl: testChain.node.url, urls: async () => lease.urls }
    expect(await createTokenAccess().of(place, endless)).toBeNull()
    const [pid = 0] = pool.stats().pids
    expect(await residentBytes(pid)).toBeLessThan(400 * 2 ** 20)
  })
})

describe('fundFromHolder', () => {
  test('a holder pays for the owner inside the simulated block, what is lost on the way included', async () => {
    const token = tokenOf('history')
    const [owner = receiver] = owners
    const fork = { urls: lease.urls, pin, chain: ethereum }
    const before = await fundFromHolder(fork, {
      token,
      owner,
      amount,
      allowance: { spender, amount },
      holders: [receiver, testChain.deployer],
    })
    expect(before).toHaveLength(3)
    const data = testChain.encode('PlainToken', 'transferFrom', [owner, receiver, amount])
    const measure = [owner, receiver].map((party) => ({ token, owner: party }))
    const [result] = await simulate(fork, [
      { from: spender, to: token, data, value: 0n, overrides: {}, before: before ?? [], measure },
    ])
    expect(result).toMatchObject({
      status: 'success',
      deltas: [{ amount: -amount }, { amount: amount - 1n }],
    })
  })

  test('a holder of a token that knows only all and nothing: the owner allows all', async () => {
    const token = tokenOf('all or nothing')
    const [owner = receiver] = owners
    const fork = { urls: lease.urls, pin, chain: ethereum }
    const holders = [testChain.deployer]
    const allowance = { spender, amount }
    const before = await fundFromHolder(fork, { token, owner, amount, allowance, holders })
    const data = testChain.encode('SwitchToken', 'transferFrom', [owner, receiver, amount])
    const [result] = await simulate(fork, [
      { from: spender, to: token, data, value: 0n, overrides: {}, before: before ?? [] },
    ])
    expect(result?.status).toBe('success')
  })

  test('without a holder that has enough there is no plan', async () => {
    const [owner = receiver] = owners
    const request = { token: tokenOf('history'), owner, amount: 10n ** 30n }
    const holders = [testChain.deployer, receiver]
    const fork = { urls: lease.urls, pin, chain: ethereum }
    expect(await fundFromHolder(fork, { ...request, holders })).toBeNull()
  })
})
