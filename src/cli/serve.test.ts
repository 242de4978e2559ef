import { expect, test } from 'vitest'
import { startupText } from './serve.js'

const url = 'http://127.0.0.1:3000'
const example = `${url}/api/v1/shortcuts/quote?chainId=1`

test('a first start on the sandbox shows its key, the built guide and the nodes of its chains', () => {
  const text = startupText({
    url,
    hasGuide: true,
    sandboxUrls: { 1: 'http://127.0.0.1:44879', 8453: 'http://127.0.0.1:38211' },
    authMode: 'key',
    key: 'fr_1',
    examples: [example],
  })
  expect(text.split('\n')).toEqual([
    'forkroute   http://127.0.0.1:3000/api/v1',
    'reference   http://127.0.0.1:3000/docs',
    'guide       http://127.0.0.1:3000/docs/guide/',
    'console     http://127.0.0.1:3000/console#key=fr_1',
    'chain 1     sandbox, JSON-RPC at http://127.0.0.1:44879',
    'chain 8453  sandbox, JSON-RPC at http://127.0.0.1:38211',
    'API key     fr_1  (shown once; only its hash is stored)',
    '',
    `curl -s -H "Authorization: Bearer fr_1" "${example}"`,
    '',
  ])
})

test('a later start has no key to show, and no guide where none is built', () => {
  const later = { url, hasGuide: false, sandboxUrls: null, key: null, examples: [example] }
  const header = '-H "Authorization: Bearer $FORKROUTE_KEY" '
  const addresses = [
    'forkroute   http://127.0.0.1:3000/api/v1',
    'reference   http://127.0.0.1:3000/docs',
    'console     http://127.0.0.1:3000/console',
    '',
  ]
  expect(startupText({ ...later, authMode: 'key' }).split('\n')).toEqual([
    ...addresses,
    `curl -s ${header}"${example}"`,
    '',
  ])
  expect(startupText({ ...later, authMode: 'open' }).split('\n')).toEqual([
    ...addresses,
    `curl -s "${example}"`,
    '',
  ])
})
