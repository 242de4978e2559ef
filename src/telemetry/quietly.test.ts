import { expect, test } from 'vitest'
import { createLogger } from './log.js'
import { logIgnoredErrors, quietly } from './quietly.js'

test('what fails quietly is undefined, and a line at level debug that says why', async () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  expect(await quietly(Promise.reject(new Error('before')), 'Nobody listens yet.')).toBeUndefined()
  logIgnoredErrors(createLogger('info', { write }))
  expect(await quietly(Promise.reject(new Error('between')), 'Info is no debug.')).toBeUndefined()
  const stop = logIgnoredErrors(createLogger('debug', { write }))
  expect(await quietly(Promise.resolve(7), 'It does not fail.')).toBe(7)
  expect(await quietly(Promise.reject(new Error('after')), 'A hint is lost.')).toBeUndefined()
  stop()
  await quietly(Promise.reject(new Error('late')), 'Nobody listens any more.')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 20, msg: 'A hint is lost.', err: { type: 'Error', message: 'after' } },
  ])
})
