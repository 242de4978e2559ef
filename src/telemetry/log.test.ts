import { describe, expect, test } from 'vitest'
import { createLogger, withoutSecrets } from './log.js'

describe('withoutSecrets', () => {
  test.each([
    ['GET https://eth.example/v2/abcDEF failed', 'GET https://eth.example/… failed'],
    ['(http://user:pass@10.0.0.1:8545)', '(http://10.0.0.1:8545/…)'],
    ['wss://node.example?key=1, https://b.example', 'wss://node.example/…, https://b.example'],
    ['rediss://:hush@queue.example:6380/0 is away', 'rediss://queue.example:6380/… is away'],
    ['postgresql://u:hush@db.example/forkroute?x=1', 'postgresql://db.example/…'],
    ['key fr_abcdefgh12345 refused', 'key fr_… refused'],
    ['nothing to hide', 'nothing to hide'],
  ])('%s', (text, clean) => {
    expect(withoutSecrets(text)).toBe(clean)
  })
})

describe('createLogger', () => {
  function lines(write: (logger: ReturnType<typeof createLogger>) => void): string {
    let text = ''
    write(
      createLogger('info', {
        write: (line) => {
          text += line
        },
      }),
    )
    return text
  }

  test('named secrets are redacted at three depths', () => {
    const text = lines((logger) =>
      logger.info({
        authorization: 'Bearer hush',
        req: { authorization: 'Bearer hush', headers: { authorization: 'Bearer hush' } },
        config: { rpcUrls: { 1: ['hush'] } },
      }),
    )
    expect(text).not.toContain('hush')
    expect(text).toContain('[redacted]')
  })

  test('URLs in messages, errors and their causes lose what may be a key', () => {
    const cause = new Error('connect http://u:hush@node.example/hush')
    const text = lines((logger) => {
      logger.info('asked https://node.example/hush?x=hush')
      logger.error({ err: new Error('no answer of https://node.example/hush', { cause }) }, 'x')
    })
    expect(text).not.toContain('hush')
    expect(text).toContain('no answer of https://node.example')
    expect(text).toContain('"stack"')
  })

  test('a level that is not wanted is not written', () => {
    expect(lines((logger) => logger.debug('x'))).toBe('')
  })
})
