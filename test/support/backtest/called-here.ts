/** Which functions of our sources run on the thread of the test; other threads have counts of their own. */
import { Session } from 'node:inspector/promises'

/** @returns `file: function` below src, of each function with a name that was called while the work was done. */
export async function calledHere(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const called = result.flatMap(({ url, functions }) => {
      const [, file] = /\/src\/(.+)\.ts$/.exec(url) ?? []
      return functions.flatMap(({ functionName, ranges }) =>
        file && functionName && ranges.some(({ count }) => count > 0)
          ? [`${file}: ${functionName}`]
          : [],
      )
    })
    return new Set(called)
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
