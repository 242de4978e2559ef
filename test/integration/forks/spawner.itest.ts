/** Programs that a process of their own starts: what is told of their lives, and what happens when that process dies. */
import { expect, test } from 'vitest'
import { type Spawned, spawner } from '../../../src/platform/spawner.js'
import { spawnerPid } from '../../support/spawner.js'
import { exists } from './pool-context.js'

interface Told {
  readonly program: Spawned
  /** What it wrote to its standard error, and why it was not started. */
  readonly texts: string[]
  readonly failures: string[]
  readonly pid: Promise<number>
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>
}

function start(file: string, args: readonly string[]): Told {
  const [texts, failures]: [string[], string[]] = [[], []]
  let onPid: (pid: number) => void = () => {}
  const pid = new Promise<number>((resolve) => {
    onPid = resolve
  })
  const program = spawner.spawn({
    file,
    args,
    env: { FRUIT: 'pear' },
    onPid,
    onText: (text) => texts.push(text),
    onFailure: (message) => failures.push(message),
  })
  const ended = new Promise<Awaited<Told['ended']>>((resolve) =>
    program.onceEnded((...how) => resolve(how)),
  )
  return { program, texts, failures, pid, ended }
}

test('the end comes with its code, after all that was written; arguments and environment are those given', async () => {
  const script = 'printf "%s|%s|%s" "$FRUIT" "$HOME" "$1" >&2; exit 3'
  const { program, texts, failures, ended } = start('/bin/sh', ['-c', script, 'sh', 'a b\n"c"'])
  expect(program.isAlive()).toBe(true)
  expect(await ended).toEqual([3, null])
  expect(texts.join('')).toBe('pear||a b\n"c"')
  expect(failures).toEqual([])
  expect(program.isAlive()).toBe(false)
  // Who asks late is told, too.
  expect(await new Promise((resolve) => program.onceEnded(resolve))).toBe(3)
})

test('what cannot be started says so, and has ended', async () => {
  const { failures, ended, program } = start('/no/such/program', [])
  expect(await ended).toEqual([null, null])
  expect(failures.join()).toContain('ENOENT')
  expect(program.pid).toBeNull()
  program.kill('SIGKILL')
  const long = start('/bin/true', ['x'.repeat(3 * 2 ** 20)])
  expect(await long.ended).toEqual([null, null])
  expect(long.failures.join()).toContain('E2BIG')
})

test('a program is killed, also before it is known to run', async () => {
  const one = start('/bin/sleep', ['1000'])
  one.program.kill('SIGKILL')
  expect(await one.ended).toEqual([null, 'SIGKILL'])
  const two = start('/bin/sleep', ['1000'])
  const pid = await two.pid
  expect(two.program.pid).toBe(pid)
  two.program.kill('SIGTERM')
  expect(await two.ended).toEqual([null, 'SIGTERM'])
  expect(exists(pid)).toBe(false)
})

test('where the process that starts them dies, they end, and the next ones start by a new one', async () => {
  const left = start('/bin/sleep', ['1000'])
  const pid = await left.pid
  const former = spawnerPid() ?? 0
  process.kill(former, 'SIGKILL')
  expect(await left.ended).toEqual([null, 'SIGKILL'])
  // Until the system has taken note of it.
  await expect.poll(() => exists(pid)).toBe(false)
  const next = start('/bin/sh', ['-c', 'exit 0'])
  expect(await next.ended).toEqual([0, null])
  expect(spawnerPid()).not.toBe(former)
})
