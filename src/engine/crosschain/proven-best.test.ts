import { describe, expect, test } from 'vitest'
import { provenBest } from './proven-best.js'

/** Lanes by name: what they promise, and what they give; null: they fail. */
async function choose(
  lanes: Record<string, readonly [promised: number, given: number | null]>,
  most?: number,
) {
  const tried: string[] = []
  const failed: string[] = []
  const estimated = Object.entries(lanes).map(([name, [value]]) => ({ name, value }))
  const best = await provenBest<(typeof estimated)[number], { name: string; value: number }>(
    estimated,
    {
      valueOf: ({ value }) => value,
      async prove({ name }) {
        tried.push(name)
        const given = lanes[name]?.[1] ?? null
        if (given === null) throw new Error(name)
        return { name, value: given }
      },
      onFailed: ({ name }) => failed.push(name),
      ...(most !== undefined && { most }),
    },
  )
  return { best: best?.name ?? null, tried, failed }
}

describe('the lane that is chosen', () => {
  test('is the best by estimate where it keeps its promise, and no other is proven', async () => {
    expect(await choose({ a: [10, 10], b: [12, 12], c: [11, 11] })).toEqual({
      best: 'b',
      tried: ['b'],
      failed: [],
    })
  })

  test('is another where both promise as good as the same and that one gives more', async () => {
    const lanes = { a: [5_000, 5_009], b: [4_999.8, 5_010], c: [4_999, 6_000] } as const
    expect(await choose(lanes)).toMatchObject({ best: 'b', tried: ['a', 'b'] })
    expect(await choose({ a: [2, 1.9], b: [1.96, 1.97], c: [1.9, 3] })).toMatchObject({
      best: 'b',
      tried: ['a', 'b'],
    })
  })

  test('is another where that one gives less than the other promises', async () => {
    expect(await choose({ a: [12, 9], b: [10, 10] })).toMatchObject({
      best: 'b',
      tried: ['a', 'b'],
    })
  })

  test('is the first after all where the other gives even less', async () => {
    expect(await choose({ a: [12, 9], b: [10, 8], c: [8.5, 8.5] })).toMatchObject({
      best: 'a',
      tried: ['a', 'b'],
    })
  })

  test('is the next where one fails, and failures do not count as proven', async () => {
    const lanes = { a: [9, null], b: [8, null], c: [7, null], d: [6, null], e: [5, 5] } as const
    expect(await choose(lanes)).toEqual({
      best: 'e',
      tried: ['a', 'b', 'c', 'd', 'e'],
      failed: ['a', 'b', 'c', 'd'],
    })
  })

  test('is none where all fail, and where there are none', async () => {
    expect((await choose({ a: [9, null] })).best).toBeNull()
    expect((await choose({})).best).toBeNull()
  })

  test('is looked for among three, or as many as are asked for, however much others promise', async () => {
    const lanes = { a: [9, 1], b: [8, 2], c: [7, 3], d: [6, 6] } as const
    expect(await choose(lanes)).toMatchObject({ best: 'c', tried: ['a', 'b', 'c'] })
    expect(await choose(lanes, 2)).toMatchObject({ best: 'b', tried: ['a', 'b'] })
  })
})
