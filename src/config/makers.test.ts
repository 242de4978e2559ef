import { describe, expect, test } from 'vitest'
import { parseMakers, readMakersFile } from './makers.js'

const maker =
  'name: desk\n    levels: wss://desk.example/levels\n    quote: https://desk.example/quote'

describe('the file of MAKERS', () => {
  test('names makers, each with its addresses', () => {
    expect(parseMakers(`makers:\n  - ${maker}\n    authorization: Bearer abc`)).toEqual({
      makers: [
        {
          name: 'desk',
          chainId: 1,
          levels: 'wss://desk.example/levels',
          quote: 'https://desk.example/quote',
          authorization: 'Bearer abc',
        },
      ],
      problems: [],
    })
    expect(readMakersFile('examples/makers/makers.yaml')).toMatchObject({
      makers: [{ name: 'example', authorization: null }],
      problems: [],
    })
  })

  test.each([
    ['a name twice', `makers:\n  - ${maker}\n  - ${maker}`, 5, 'that of another'],
    [
      'no URL to sign at',
      'makers:\n  - name: a\n    levels: a.json\n    quote: ftp://a',
      4,
      'http',
    ],
    ['an unknown field', `makers:\n  - ${maker}\n    key: 1`, 5, 'key'],
    ['no list', 'makers: 7', 1, 'list of makers'],
  ])('with %s says the line of the mistake', (_, text, line, words) => {
    const { makers, problems } = parseMakers(text)
    expect(makers).toEqual([])
    expect(problems).toMatchObject([{ line, message: expect.stringContaining(words) }])
  })

  test('that is not there is said', () => {
    expect(readMakersFile('no-such-file.yaml').problems).toEqual([
      'no-such-file.yaml cannot be read (ENOENT).',
    ])
  })
})
