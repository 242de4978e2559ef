import { expect, test } from 'vitest'
import { openDiskCache } from '../disk/disk-cache.js'
import { createHotSet } from './hot-set.js'

const noDisk = () =>
  openDiskCache(
    null,
    () => false,
    () => undefined,
  )

test('createHotSet: the last used comes first', () => {
  const hot = createHotSet(1, noDisk())
  for (const key of ['a', 'b', 'c', 'a']) hot.touch(key)
  expect(hot.keys()).toEqual(['a', 'c', 'b'])
})

test('createHotSet: a key that 150 blocks did not use is dropped', () => {
  const hot = createHotSet(1, noDisk())
  hot.touch('old')
  for (let block = 0; block < 150; block += 1) hot.next()
  hot.touch('new')
  hot.next()
  expect(hot.keys()).toEqual(['new'])
})
