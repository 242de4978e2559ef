import { afterEach, describe, expect, test, vi } from 'vitest'
import { columnWidths, parseRaw, parseUnits, printable, shortHex, withProgress } from './output.js'

describe('printable', () => {
  test('a token name cannot steer the terminal: escapes and writing direction are left out', () => {
    expect(printable('a\u001b[31mb\u0007\u202ec\u0085\r\nd é 币')).toBe('a[31mbc\nd é 币')
  })
})

describe('columnWidths', () => {
  test('are those of the longest lines, where they fit', () => {
    const rows = [
      ['step', 'protocol'],
      ['swap', 'uniswap-v3\ncurve'],
    ]
    expect(columnWidths(rows, 100)).toEqual([6, 12])
  })

  test('the widest columns give way until the line fits', () => {
    const widths = columnWidths([['a', 'b'.repeat(80), 'c'.repeat(60)]], 100)
    expect(widths).toEqual([3, 46, 47])
  })

  test('no column becomes narrower than is of use', () => {
    expect(columnWidths([['a'.repeat(50), 'b'.repeat(50)]], 5)).toEqual([10, 10])
  })
})

describe('shortHex', () => {
  test.each([
    ['0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640', '0x88e6…5640'],
    ['0x095ea7b3', '0x095ea7b3'],
    ['WETH', 'WETH'],
  ])('%s is shown as %s', (text, shown) => {
    expect(shortHex(text)).toBe(shown)
  })
})

describe('withProgress', () => {
  const { isTTY } = process.stderr
  afterEach(() => {
    process.stderr.isTTY = isTTY
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  test('in a pipe each stage is one line, also where three chains report theirs a hundred times in turn', async () => {
    vi.useFakeTimers({ now: 0 })
    process.stderr.isTTY = false
    const lines: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
    await withProgress('Starting', async (report) => {
      vi.setSystemTime(2_000)
      for (const stage of ['deploying', 'trading']) {
        for (let block = 0; block < 100; block += 1) {
          for (const chain of [1, 8453, 42161]) report(`chain ${chain}: ${stage}`, 0.5)
        }
      }
    })
    expect(lines).toEqual(
      ['deploying', 'trading'].flatMap((stage) =>
        [1, 8453, 42161].map((chain) => `Starting: chain ${chain}: ${stage} …\n`),
      ),
    )
  })
})

describe('parseUnits', () => {
  test.each([
    ['1', 18, 10n ** 18n],
    ['1.5', 6, 1_500_000n],
    ['0.000001', 6, 1n],
    ['7', 0, 7n],
  ])('%s with %i decimals is %s', (text, decimals, raw) => {
    expect(parseUnits(text, decimals)).toBe(raw)
  })

  test.each(['', '-1', '1e18', '1,5', '.5', '1.', '0.0000001', 'all'])('%j is refused', (text) => {
    expect(() => parseUnits(text, 6)).toThrow(
      'is not an amount with at most 6 decimals, such as 1000.5. Only raw units have exponents: they need --raw.',
    )
  })
})

describe('parseRaw', () => {
  test.each([
    ['0', 0n],
    ['1000', 1000n],
    ['1e18', 10n ** 18n],
    ['1E+18', 10n ** 18n],
    ['1.25e2', 125n],
    ['1.5e18', 15n * 10n ** 17n],
  ])('%s is %s', (text, raw) => {
    expect(parseRaw(text)).toBe(raw)
  })

  test.each(['', '-1', '1.5', '1.25e1', '1e-3', 'e18', '1e', '0x10', '1e999'])(
    '%j is refused',
    (text) => {
      expect(() => parseRaw(text)).toThrow('is not a whole number of raw units')
    },
  )
})
