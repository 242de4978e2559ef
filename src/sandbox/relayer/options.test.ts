import { concatHex, encodePacked, type Hex, pad } from 'viem'
import { expect, test } from 'vitest'
import { executorOptions } from './options.js'

const receiver = '0x00000000000000000000000000000000000cafe0'

function option(kind: number, body: Hex, worker = 1): Hex {
  const length = 1 + (body.length - 2) / 2
  return concatHex([encodePacked(['uint8', 'uint16', 'uint8'], [worker, length, kind]), body])
}

const words = (...values: bigint[]): Hex =>
  concatHex(values.map((value) => encodePacked(['uint128'], [value])))

test('gas of one kind adds up, with and without value; others than the executor are skipped', () => {
  const options = concatHex([
    '0x0003',
    option(1, words(200_000n)),
    option(1, words(50_000n, 7n)),
    option(9, '0x1234', 2),
    option(2, concatHex([words(10n ** 16n), pad(receiver)])),
    option(3, concatHex(['0x0000', words(500_000n)])),
    option(3, concatHex(['0x0001', words(1n, 2n)])),
    option(3, concatHex(['0x0000', words(100_000n, 3n)])),
  ])
  expect(executorOptions(options)).toEqual({
    receive: { gas: 250_000n, value: 7n },
    drops: [{ to: receiver, amount: 10n ** 16n }],
    composes: new Map([
      [0, { gas: 600_000n, value: 3n }],
      [1, { gas: 1n, value: 2n }],
    ]),
  })
})
