import { describe, expect, test } from 'vitest'
import { pinBlock } from './pin-block.js'

const pin = { chainId: 1, number: 5n, hash: '0x05' }

/** What is said of block 5 behind a head at 9. */
function refusal(args: { readonly header?: string; readonly state?: string }): Promise<string> {
  const { header, state = 'no state' } = args
  const found = header
    ? { ok: false, message: header }
    : { ok: true, value: { pin, json: { miner: `0x${'11'.repeat(20)}` } } }
  const parts = {
    chainId: 1,
    opener: { open: async () => ({ found, hasState: async () => false }) },
    tracker: { head: () => ({ number: 9n, hash: '0x09' }) },
    reader: { find: async () => ({ ok: false, message: state }) },
  }
  return pinBlock(5n, {}, parts as never).then(String, ({ message }) => message)
}

describe('pinBlock', () => {
  const advice = 'Blocks this old need an archive node.'

  test.each([
    'missing trie node 5ce1 (path )',
    'required historical state unavailable (reexec=128)',
    'state at block #5 is pruned',
  ])('"%s": an archive node would have it', async (state) => {
    expect(await refusal({ state })).toBe(
      `The state of block 5 is not available: ${state}. ${advice}`,
    )
  })

  test.each([
    // An Anvil that mined the chain itself; a node that is late or broken; a cassette.
    'BlockOutOfRangeError: block height is 9 but requested was 5',
    'the node does not answer in time',
    'execution timeout',
    'state of 0x11 is not in the cassette',
  ])('"%s": no archive node would', async (state) => {
    expect(await refusal({ state })).toBe(`The state of block 5 is not available: ${state}.`)
  })

  test.each([
    ['header not found', ` ${advice}`],
    ['no such block', ` ${advice}`],
    ['block 5 is not in the cassette', ''],
  ])('a header: "%s"', async (header, rest) => {
    expect(await refusal({ header })).toBe(`Block 5 is not known: ${header}.${rest}`)
  })
})
