import { describe, expect, test } from 'vitest'
import { type PartReport, updatePage } from './report.js'

const order = ['simulation', 'cold', 'cold, given node']

function report(day: string, perSecond: number): PartReport {
  return {
    at: `2026-01-${day}T00:00:00.000Z`,
    commit: 'abc1234',
    machine: '2 × processor, 8 GB',
    sections: [
      { name: 'rates', about: 'How fast.', rows: [{ way: 'a | b', perSecond }] },
      { name: 'exceptions', rows: [] },
    ],
  }
}

describe('updatePage', () => {
  test('a part carries its date, commit, machine, notes and tables', () => {
    const text = updatePage('', 'cold', report('02', 7), order)
    expect(text).toContain('Measured 2026-01-02 at abc1234: 2 × processor, 8 GB.')
    expect(text).toContain('How fast.\n\n| way | perSecond |\n| --- | --- |\n| a \\| b | 7 |')
    expect(text).toContain('### exceptions\n\nNone.')
  })

  test('running one part again replaces its section and leaves the others as they were', () => {
    const first = updatePage('', 'cold, given node', report('02', 7), order)
    const second = updatePage(first, 'simulation', report('03', 8), order)
    const third = updatePage(second, 'simulation', report('04', 9), order)
    expect(third).toBe(
      updatePage(
        updatePage('', 'simulation', report('04', 9), order),
        'cold, given node',
        report('02', 7),
        order,
      ),
    )
    expect(third.indexOf('## simulation')).toBeLessThan(third.indexOf('## cold, given node'))
  })

  test('a part that exists no more is dropped', () => {
    const text = updatePage('', 'cold', report('02', 7), order)
    expect(updatePage(text, 'simulation', report('03', 8), ['simulation'])).not.toContain('## cold')
  })
})
